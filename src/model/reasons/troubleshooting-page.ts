import { REASON_SECTIONS } from './catalogue.ts'
import type { ReasonEntry, ReasonSection } from './reason-entry.ts'

/** docs/troubleshooting.md, from the catalogue. */
export const troubleshootingPage = (): string => `${[HEAD, ...REASON_SECTIONS.map(section)].join('\n\n')}\n`

const HEAD = `# Troubleshooting

Every hold and every stop of a roll, and every answer of the agent and the controller, has a code. The code is stable. The
sentence beside it is for people and may change. \`-o json\`, \`-o jsonl\`, \`--events\` and the journal contain the codes. A hold
on the screen shows only the sentence: search for its words in the second column. [Errors](errors.md) lists what ends with
\`error: … (CODE)\`, and what a plan finds. [What dns finds](dns-causes.md) lists what can be wrong with DNS.

This page is made from \`src/model/reasons\` by \`node bin/generate-docs.ts\`.

Look at these first:

    evenkeel roll status              the state of the run begun last; contacts no cluster
    evenkeel roll report              what it did, node by node, and the path of its journal
    kubectl get node n1 -o jsonpath='{.metadata.annotations.evenkeel\\.dev/record}'

How a roll can end, and what to do then:

| first word, exit | what is true | what to type |
| --- | --- | --- |
| DONE, 0 | every node is done | nothing |
| STOPPED, 1 | a request failed, or a node is gone or could not be put back. The block shows the state of each node | see the code under \`why\`; then \`evenkeel roll resume\`, or \`evenkeel roll abort\` |
| ABORTED, 1 | a person ran abort; the nodes that were out are back, except a node that \`why\` names as gone | nothing, or a new roll |
| \`error:\`, 2 | wrong usage, file or plan; nothing was touched | what \`fix:\` says |
| HELD, 3 | a limit of waiting was reached. Before the reboot: the node was restored | remove the cause, then \`evenkeel roll resume\` |
| INTERRUPTED, 130 | Ctrl-C, SIGTERM or SIGHUP, also while a node is put back. The node stays as it is | \`evenkeel roll resume\` or \`evenkeel roll abort\` |
| no end, no process | killed or crashed; the node under way stays as it is | \`evenkeel roll resume\` or \`evenkeel roll abort\` |
| STOPPED, and the process keeps running | a node that must not serve is kept out of its balancers: the state that a reload loses is set again | Ctrl-C ends the guarding; then \`evenkeel roll resume\` |

How long the roll waits for a hold before the reboot. After the reboot each step has its own limit (\`reboot.returnLimit\`,
\`settle.limit\`, \`attach.limit\`):

| wait | what it means |
| --- | --- |
| by law | the limits below do not apply: the hold ends by itself, or a limit of its own ends it (\`detach.idleLimit\`, \`reboot.returnLimit\`) |
| in course | it makes progress: \`drain.stageLimit\` (30 min) |
| baseline | until no request fails: \`baseline.limit\` (2 min) |
| blocked | something refuses: \`drain.blockedLimit\` (10 min) |
| window | until the next time window: \`window.waitLimit\`, or as long as it takes |`

function section({ title, by, intro, entries }: ReasonSection): string {
  const all = Object.entries(entries)
  const isCured = all.some(([, { cure }]) => cure !== '')
  return [
    `## ${title}`,
    `Given by ${by}. ${intro}`,
    [...tableHead(isCured), ...all.map((entry) => row(entry, isCured))].join('\n'),
    ...(isCured ? all.map(details) : []),
  ].join('\n\n')
}

const tableHead = (isCured: boolean): readonly string[] =>
  isCured ? ['| code | what it says | wait |', '| --- | --- | --- |'] : ['| code | what it says |', '| --- | --- |']

const row = ([code, { is, wait, progress }]: readonly [string, ReasonEntry], isCured: boolean): string =>
  isCured
    ? `| [\`${code}\`](#${code.toLowerCase()}) | ${is} | ${wait === 'none' ? '' : wait}${progress === true ? ', shown as progress' : ''} |`
    : `| \`${code}\` | ${is} |`

const details = ([code, { cause, cure }]: readonly [string, ReasonEntry]): string =>
  [`### ${code}`, `**Cause.** ${cause}`, `**Cure.** ${cure}`].join('\n\n')
