// SPDX-License-Identifier: Apache-2.0
// A dialog: modal, closed by Escape, gives the focus back.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { go } from "../state/page";

export const close_dialog = (): void => go({ dialog: "" }, true);

export function Dialog({ label, children, wide }: { label: string; children: ComponentChildren; wide?: boolean }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = box.current!;
    dialog.showModal();
    dialog.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={box}
      class={wide ? "dialog wide" : "dialog"}
      aria-label={label}
      onCancel={(e) => {
        e.preventDefault();
        close_dialog();
      }}
      onClick={(e) => {
        if (e.target === box.current) close_dialog();
      }}
    >
      <div class="dialog-in">
        <h2>{label}</h2>
        {children}
      </div>
    </dialog>
  );
}
