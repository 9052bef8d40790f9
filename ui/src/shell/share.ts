// SPDX-License-Identifier: Apache-2.0
// The address as it may be given away: it never holds the token.
import { copy_text } from "../parts/grid/copy";
import { print_address } from "../state/address";
import { place } from "../state/page";

export const shared_address = (): string => `${location.origin}/${print_address({ ...place.peek(), dialog: "" })}`;

export const copy_address = (): void => copy_text(shared_address(), "the address");
