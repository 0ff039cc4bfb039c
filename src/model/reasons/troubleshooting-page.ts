import { REASON_SECTIONS } from './catalogue.ts'
import type { ReasonEntry, ReasonSection } from './reason-entry.ts'

/** docs/troubleshooting.md, from the catalogue. */
export const troubleshootingPage = (): string => `${[HEAD, ...REASON_SECTIONS.map(section)].join('\n\n')}\n`

const HEAD = `# Troubleshooting

Every hold and every stop of a roll, and every answer of the agent and the controller, has a code. The code is stable; the
sentence beside it is for people and may change. Codes stand in \`-o json\`, \`-o jsonl\`, \`--events\` and the journal. A hold
on the screen shows the sentence alone: look for its words in the second column. What ends with \`error: … (CODE)\`, and what
a plan finds, stands in [Errors](errors.md); what is wrong with DNS on [a page of its own](dns-causes.md).

This page is made from \`src/model/reasons\` by \`node bin/generate-docs.ts\`.

What to look at first:

    evenkeel roll status              where the run begun last stands; asks no cluster
    evenkeel roll report              what it did, node by node, and where its journal lies
    kubectl get node n1 -o jsonpath='{.metadata.annotations.evenkeel\\.dev/record}'

How a roll can end, and what then:

| first word, exit | what is true | what to type |
| --- | --- | --- |
| DONE, 0 | every node is through | nothing |
| STOPPED, 1 | a request failed, a node is gone or could not be put back. The block says how each node stands | see the code under \`why\`; then \`evenkeel roll resume\`, or \`evenkeel roll abort\` |
| ABORTED, 1 | a person typed abort; what was out is back, except a node that \`why\` names as gone | nothing, or a new roll |
| \`error:\`, 2 | wrong usage, file or plan; nothing was touched | what stands behind \`fix:\` |
| HELD, 3 | a limit of waiting was reached. Before the reboot: the node was restored | cure the cause, then \`evenkeel roll resume\` |
| INTERRUPTED, 130 | Ctrl-C, SIGTERM or SIGHUP, also while a node is put back. It stays as it is | \`evenkeel roll resume\` or \`evenkeel roll abort\` |
| no end, no process | killed or crashed; the node under way stays as it is | \`evenkeel roll resume\` or \`evenkeel roll abort\` |
| STOPPED, and the process lives on | a node that must not serve is kept out of its balancers: what a reload forgets is set again | Ctrl-C ends the guarding; then \`evenkeel roll resume\` |

How long a hold is waited for before the reboot; after it, each step has its own limit (\`reboot.returnLimit\`,
\`settle.limit\`, \`attach.limit\`):

| wait | what it means |
| --- | --- |
| by law | without counting: it ends by itself or has a limit of its own |
| in course | it takes its course: \`drain.stageLimit\` (30 min) |
| baseline | for traffic to be green: \`baseline.limit\` (2 min) |
| blocked | something refuses: \`drain.blockedLimit\` (10 min) |`

function section({ title, by, intro, entries }: ReasonSection): string {
  const all = Object.entries(entries)
  const isCured = all.some(([, { cure }]) => cure !== '')
  return [
    `## ${title}`,
    `Said by ${by}. ${intro}`,
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
