import { REASON_SECTIONS } from './catalogue.ts'
import type { ReasonEntry, ReasonSection } from './reason-entry.ts'

/** docs/troubleshooting.md, from the catalogue. */
export const troubleshootingPage = (): string => `${[HEAD, ...REASON_SECTIONS.map(section)].join('\n\n')}\n`

const HEAD = `# Troubleshooting

This page explains why a roll waits or stops, and the answers of the agent and the controller. Each reason has a stable code.
Its message is for people and can change. \`-o json\`, \`-o jsonl\`, \`--events\` and the journal contain the codes. A hold on
the screen shows only the message: search for its words in the second column.

A _hold_ means that the roll waits, because a condition of its current step is not met. A _stop_ ends the roll.
[The steps of a roll](roll-steps.md) explains what each step waits for. [Errors](errors.md) lists messages of the form \`error: … (CODE)\` and the findings
of a plan. [What dns finds](dns-causes.md) lists what can be wrong with DNS.

This page is made from \`src/ground/model/reasons\` by \`npm run docs\`.

Look at these first:

    evenkeel roll status              the state of the run that began last, by its journal
    evenkeel roll report              what that run did, node by node, and the path of its journal
    kubectl get node n1 -o jsonpath='{.metadata.annotations.evenkeel\\.dev/record}'

How a roll can end, and what to do then:

| first word, exit | what happened | what to do |
| --- | --- | --- |
| DONE, 0 | every node is done | nothing |
| STOPPED, 1 | a request failed, or a node is gone or could not be put back. The block shows the state of each node | see the code under \`why\`; then \`evenkeel roll resume\`, or \`evenkeel roll abort\` |
| ABORTED, 1 | a person ran abort; the nodes that were out are back, except a node that \`why\` names as gone | nothing, or a new roll |
| \`error:\`, 2 | wrong usage, file or plan; nothing was touched | what \`fix:\` says |
| HELD, 3 | the roll waited until a time limit. The node was restored if it was not rebooted yet | remove the cause, then \`evenkeel roll resume\` |
| INTERRUPTED, 130 | Ctrl-C, SIGTERM or SIGHUP, also while a node is put back. The node stays as it is | \`evenkeel roll resume\` or \`evenkeel roll abort\` |
| no end, no process | killed or crashed; the node under way stays as it is | \`evenkeel roll resume\` or \`evenkeel roll abort\` |
| STOPPED, and the process keeps running | a node must not serve. The process keeps the node out of its balancers, and sets the state again if a reload loses it | Ctrl-C ends the process; then \`evenkeel roll resume\` |

The column \`wait\` shows which limit ends a hold in the steps before the reboot. After the reboot each step has its own limit (\`reboot.returnLimit\`,
\`settle.limit\`, \`attach.limit\`):

| wait | what it means |
| --- | --- |
| own limit | none of the four limits below applies: the hold ends by itself, or a separate limit ends it (\`detach.idleLimit\`, \`reboot.returnLimit\`) |
| in progress | the step makes progress: \`drain.stageLimit\` (30 min) |
| baseline | until no request fails: \`baseline.limit\` (2 min) |
| blocked | something prevents the step: \`drain.blockedLimit\` (10 min) |
| window | until the next time window: \`window.waitLimit\`, or as long as it takes |`

/** As the page shows the classes of waits. */
const SHOWN_WAIT = {
  'by law': 'own limit',
  'in course': 'in progress',
  baseline: 'baseline',
  blocked: 'blocked',
  window: 'window',
  none: '',
}

function section({ title, by, intro, entries }: ReasonSection): string {
  const all = Object.entries(entries)
  const isCured = all.some(([, { cure }]) => cure !== '')
  return [
    `## ${title}`,
    `Reported by ${by}. ${intro}`,
    [...tableHead(isCured), ...all.map((entry) => row(entry, isCured))].join('\n'),
    ...(isCured ? all.map(details) : []),
  ].join('\n\n')
}

const tableHead = (isCured: boolean): readonly string[] =>
  isCured ? ['| code | message | wait |', '| --- | --- | --- |'] : ['| code | message |', '| --- | --- |']

const row = ([code, { is, wait, progress }]: readonly [string, ReasonEntry], isCured: boolean): string =>
  isCured
    ? `| [\`${code}\`](#${code.toLowerCase()}) | ${is} | ${[SHOWN_WAIT[wait], progress === true ? 'shown as progress' : ''].filter((text) => text !== '').join(', ')} |`
    : `| \`${code}\` | ${is} |`

const details = ([code, { cause, cure }]: readonly [string, ReasonEntry]): string =>
  [`### ${code}`, `**Cause.** ${cause}`, `**Cure.** ${cure}`].join('\n\n')
