// Every test in one process: starting one for each file takes as long as all tests.

import { readdirSync } from "node:fs";

const here = new URL(".", import.meta.url);
const names = readdirSync(here).filter((name) => name.endsWith(".test.js"));
for (const name of names.sort()) {
  await import(new URL(name, here).href);
}
