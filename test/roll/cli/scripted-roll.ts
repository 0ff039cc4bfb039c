import { LinePrinter } from '../../../src/cli/line-printer.ts'
import { runProgram } from '../../../src/cli/program.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { MetricsPlace, RollActions, RollIo, RollRequest, RunRequest } from '../../../src/roll/cli/roll-actions.ts'
import { addRollCommand } from '../../../src/roll/cli/roll-command.ts'
import type { RollEvent, RollOutcome, StampedEvent } from '../../../src/roll/model/roll-event.ts'
import type { RollPlan } from '../../../src/roll/model/roll-plan.ts'
import { type MemoryFacts, memoryContext } from '../../cli/memory-context.ts'
import { heldStory, load, NODES, RUN, standing } from './screen/roll-story.ts'

/** A roll file that nothing is wrong with. */
export const FILE = `apiVersion: evenkeel.dev/v1alpha1
kind: Roll
metadata: {name: prod-eu1}
spec:
  nodes: {all: true}
  probes: [{name: shop, url: 'https://app.example.com/'}]
`

export const PLAN: RollPlan = {
  cluster: 'prod-eu1',
  nodes: [
    {
      node: 'w-1',
      role: 'worker',
      address: '10.0.0.1',
      bootId: 'b',
      detachFrom: [],
      podsToMove: [],
      stages: [0, 0, 0],
    },
  ],
  skipped: [],
  unmatchedServers: [],
  findings: [],
  load: [{ name: 'shop', url: 'https://app.example.com/', ratePerSecond: 100, control: false }],
  checksPassed: 3,
}

export const stamped = (event: RollEvent, seq: number): StampedEvent => ({
  ...event,
  v: '1.0',
  seq,
  at: '2026-11-21T06:31:11.000Z',
})

export const ended = (outcome: RollOutcome, exitCode: number): RollEvent => ({
  type: 'roll.ended',
  outcome,
  exitCode,
  reasons: [],
  standings: NODES.map((node) => standing(node)),
  next: [],
  load: load(187_200),
})

interface Script {
  /** By the key of `--once`: what was told of the run before. */
  readonly begun?: Readonly<Record<string, readonly StampedEvent[]>>
  readonly plan?: RollPlan
  readonly after?: (io: RollIo) => Promise<void>
}

const nothing = (): Promise<void> => Promise.resolve()

/** A world in which rolling means telling the held story and then `last`. */
export class ScriptedActions implements RollActions {
  readonly requests: (RollRequest | RunRequest)[] = []
  readonly #plan: RollPlan
  readonly #last: RollEvent
  readonly #begun: Script['begun']
  /** What happens once the story is told; a roll that keeps a node out goes on after its end. */
  readonly #after: (io: RollIo) => Promise<void>

  constructor(last: RollEvent, { plan = PLAN, after = nothing, begun }: Script = {}) {
    this.#begun = begun
    this.#last = last
    this.#plan = plan
    this.#after = after
  }

  plan(request: RollRequest): Promise<RollPlan> {
    this.requests.push(request)
    return Promise.resolve(this.#plan)
  }

  async #tell(request: RollRequest | RunRequest, io: RollIo): Promise<void> {
    this.requests.push(request)
    const { events } = heldStory()
    for (const event of events) io.onEvent(event)
    io.onEvent(stamped(this.#last, events.length))
    await this.#after(io)
  }

  roll = (request: RollRequest, io: RollIo): Promise<void> => this.#tell(request, io)
  resume = (request: RunRequest, io: RollIo): Promise<void> => this.#tell(request, io)
  abort = (request: RunRequest, io: RollIo): Promise<void> => this.#tell(request, io)

  /** Whether a process works on the run of the history. */
  running = true

  history = (request: RunRequest) => {
    const run = request.run ?? RUN
    return Promise.resolve({ run, events: heldStory().events, running: this.running, journal: `/state/${run}` })
  }

  /** What the API server has; absent: it cannot be asked. */
  nodes: readonly Node[] | undefined

  nodesNow: RollActions['nodesNow'] = () =>
    this.nodes === undefined
      ? Promise.reject(new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' }))
      : Promise.resolve(this.nodes)

  begunFor: RollActions['begunFor'] = (key) => {
    const events = this.#begun?.[key]
    return Promise.resolve(events && { run: RUN, events, running: false, journal: `/state/${RUN}` })
  }

  list = () => Promise.resolve({ stateDir: '/state', runs: [] })

  readonly metrics: { readonly place: MetricsPlace; readonly texts: string[] }[] = []

  openMetrics: RollActions['openMetrics'] = (place) => {
    const texts: string[] = []
    this.metrics.push({ place, texts })
    const write = (next: string): Promise<void> => {
      texts.push(next)
      return nothing()
    }
    return Promise.resolve({ ...(place.at === undefined ? {} : { port: 9_153 }), write })
  }

  leftOut = (request: RunRequest) => Promise.resolve({ run: request.run ?? RUN, events: [] })
}

/** The command line with such a world behind it. */
export async function evenkeel(line: string, actions: RollActions, facts: MemoryFacts = {}) {
  const made = memoryContext({ files: { 'roll.yaml': FILE }, ...facts })
  const parts = {
    version: '0.0.0',
    context: made.context,
    commands: [addRollCommand(async () => actions, new LinePrinter(made.context.err))],
  }
  const code = await runProgram(parts, line.split(' '))
  return { code, out: made.context.out.text, err: made.context.err.text, ...made }
}
