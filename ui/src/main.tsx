// SPDX-License-Identifier: Apache-2.0
import "./look/tokens.css";
import "./look/base.css";
import "./look/shell.css";
import "./look/panels.css";
import "./look/controls.css";
import "./look/lists.css";
import "./look/tables.css";
import "./look/overview.css";
import "./look/timeline.css";
import "./look/states.css";
import "./look/sql.css";
import "./look/flame.css";
import "./look/fleet.css";
import "./look/dialogs.css";
import "./look/narrow.css";
import { render } from "preact";
import { mirror_state, Page } from "./shell/page";
import { open, read_launch } from "./state/session";

const token = read_launch();
mirror_state();
void open(token); // the server answers while the page is drawn
render(<Page />, document.getElementById("page")!);
