import type { CliContext } from '../../cli/cli-context.ts'
import { EXIT_FAILED } from '../../cli/exit-codes.ts'
import { type OutputFlags, outputModes } from '../../cli/output-options.ts'
import { DeadlineError, withDeadline } from '../../ground/loop/deadline.ts'
import { present } from '../../ground/model/present.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { countText } from '../../ground/text/count-text.ts'
import { tableLines } from '../../ground/text/table-lines.ts'
import { type Line, padCells } from '../../ground/text/terminal/style.ts'
import { DemoScreen } from '../demo-screen.ts'
import { judgedRun } from '../judged-run.ts'
import { keepUp } from '../keep-up.ts'
import { busyText } from '../next-text.ts'
import type { OperatorDemoActions, OperatorDemoCluster, RollRow } from './operator-demo-actions.ts'

interface OperatorDemoFlags extends OutputFlags {
  readonly output: 'text' | 'json'
  readonly keep?: boolean
  readonly port?: number
  readonly balancer: 'auto' | 'embedded'
}

interface OperatorDemoRun {
  readonly row: RollRow
  /** What the status said, in its order. */
  readonly said: readonly string[]
  readonly sent: number
  readonly lost: number
  readonly stalledMs: number
  readonly failure?: string
}

const LIMIT_MS = 240_000
const POLL_EVERY_MS = 100
/** So that a reader sees that nothing begins meanwhile. */
const PAUSED_MS = 3_000
const WHO_CELLS = 11
const VERSION = '1'

/** Applies a Roll, approves and pauses it on the way, and shows what its status says. Returns the exit code. */
export async function runOperatorDemo(
  context: CliContext,
  actions: OperatorDemoActions,
  flags: OperatorDemoFlags,
): Promise<number> {
  const screen = new DemoScreen(context, outputModes(flags, context.terminal))
  const takeBack = context.onExit(() => screen.restoreCursor())
  const { signal } = context.interrupts
  const { clock } = context
  let cluster: OperatorDemoCluster | undefined
  try {
    say(screen, 'cluster', ['an embedded cluster comes up, with a controller of Rolls'])
    const opened = await actions.open({ balancer: flags.balancer, ...present({ port: flags.port }) }, signal)
    cluster = opened
    const said: string[] = []
    const judge = { clock, url: opened.url, actions, onReading: () => undefined }
    const judged = await judgedRun(judge, () => rolled({ cluster: opened, screen, clock, said }, signal), signal)
    screen.close()
    const { sent, failed: lost } = judged.reading
    const { stalledMs } = judged
    const run = { row: opened.row(), said, sent, lost, stalledMs, ...present({ failure: judged.outcome }) }
    const isJson = flags.output === 'json'
    const text = isJson ? JSON.stringify(documentOf(run), null, 2) : resultLines(run).join('\n')
    context.out.write(`${text}\n`)
    if (flags.keep === true) await keepUp(context, keptLines(opened), isJson)
    return isSound(run) ? 0 : EXIT_FAILED
  } finally {
    screen.close()
    takeBack()
    await cluster?.end()
  }
}

interface Showing {
  readonly cluster: OperatorDemoCluster
  readonly screen: DemoScreen
  readonly clock: Clock
  readonly said: string[]
}

/** Returns why it did not come to its end; undefined: it did. */
async function rolled(showing: Showing, signal: AbortSignal): Promise<string | undefined> {
  const { cluster, screen, clock } = showing
  try {
    await withDeadline({ clock, limitMs: LIMIT_MS, signal, what: 'the Roll' }, async (limited) => {
      const over = new AbortController()
      const ended = AbortSignal.any([limited, over.signal])
      const rows = followed(showing, ended)
      rows.catch(() => undefined)
      try {
        await Promise.race([people({ cluster, screen, clock }, ended), cluster.failed])
      } finally {
        over.abort()
      }
    })
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof WorldError) && !(error instanceof DeadlineError)) throw error
    return error.message
  }
}

/** A person approves the first node, pauses after it, and approves the others. */
async function people({ cluster, screen, clock }: Omit<Showing, 'said'>, signal: AbortSignal): Promise<void> {
  const until = async (is: (row: RollRow) => boolean): Promise<RollRow> => {
    for (;;) {
      const row = cluster.row()
      if (is(row) || isOver(row)) return row
      await clock.sleep(POLL_EVERY_MS, signal)
    }
  }
  const patch = (text: string, spec: object): void => {
    say(screen, 'person', [{ text: `kubectl patch roll demo -p '{"spec":${text}}'`, tone: 'work' }])
    cluster.patch(spec)
  }
  say(screen, 'person', [{ text: 'kubectl apply -f roll.yaml', tone: 'work' }])
  cluster.apply()
  const { message } = await until((row) => row.message.includes('waits for an approval'))
  const [first = ''] = message.split(' ')
  patch(`{"approved":["${first}"]}`, { approved: [first] })
  await until(({ done }) => done === 1)
  patch('{"paused":true,"approved":["all"]}', { paused: true, approved: ['all'] })
  await until((row) => row.message.startsWith('spec.paused is true'))
  await clock.sleep(PAUSED_MS, signal)
  patch('{"paused":false}', { paused: false })
  await until(isOver)
}

const isOver = ({ state }: RollRow): boolean => state === 'Succeeded' || state === 'Stopped'

/** Shows the status whenever its state, its nodes or its hold change. */
async function followed({ cluster, screen, clock, said }: Showing, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { state, done, nodes, message } = cluster.row()
    const why = state === 'Held' ? `: ${message}` : ''
    const text = nodes === 0 ? `${state}${why}` : `${state}, ${done} of ${nodes} nodes${why}`
    if (state !== '' && said.at(-1) !== text) {
      said.push(text)
      say(screen, 'roll/demo', [{ text: state, tone: state === 'Held' ? 'hold' : 'work' }, text.slice(state.length)])
    }
    await clock.sleep(POLL_EVERY_MS, signal)
  }
}

const say = (screen: DemoScreen, who: string, line: Line): void =>
  screen.say([{ text: padCells(who, WHO_CELLS), tone: 'name' }, ...line])

const isSound = ({ row, lost, failure }: OperatorDemoRun): boolean =>
  failure === undefined && row.state === 'Succeeded' && row.done === row.nodes && lost === 0

function resultLines({ row, sent, lost, stalledMs, failure }: OperatorDemoRun): readonly string[] {
  const table = tableLines(
    [
      { title: 'roll', align: 'left' },
      { title: 'nodes', align: 'right' },
      { title: 'done', align: 'right' },
      { title: 'failed', align: 'right' },
      { title: 'state', align: 'left' },
    ],
    [['demo', String(row.nodes), String(row.done), String(row.failed), row.state]],
  )
  return [
    '',
    ...table,
    '',
    failure === undefined
      ? `${countText(lost)} failed of ${countText(sent)} requests of an independent probe.`
      : `The Roll did not come to its end: ${failure}`,
    ...busyText([{ stalledMs }]),
    'docs/rolls.md shows how to apply a Roll to your cluster.',
  ]
}

const documentOf = (run: OperatorDemoRun): object => ({
  version: VERSION,
  sound: isSound(run),
  roll: run.row,
  failedRequests: run.lost,
  sentRequests: run.sent,
  stalledMs: Math.round(run.stalledMs),
  said: run.said,
  ...present({ failure: run.failure }),
})

const keptLines = ({ kubeconfig }: OperatorDemoCluster): readonly string[] => [
  '',
  'The cluster stays up until Ctrl-C. Try, in another terminal:',
  `  kubectl --kubeconfig ${kubeconfig} -n evenkeel describe roll demo`,
]
