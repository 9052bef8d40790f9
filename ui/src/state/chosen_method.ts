// SPDX-License-Identifier: Apache-2.0
// The method that keys and buttons act on: of the chosen frame, call or row.
import { signal } from "@preact/signals";

export interface ChosenMethod {
  id: number;
  name: string;
}

const chosen = signal<ChosenMethod | null>(null);
export const chosen_method = (): ChosenMethod | null => chosen.value;
export const choose_method = (method: ChosenMethod | null): void => void (chosen.value = method);
