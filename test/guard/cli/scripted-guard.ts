import { runProgram } from '../../../src/cli/program.ts'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import { addGuardCommand } from '../../../src/guard/cli/guard-command.ts'
import { NODE_GUARDS, NODES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import { memoryContext } from '../../cli/memory-context.ts'
import { EmbeddedApi } from '../../support/embedded-api.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

type Json = Readonly<Record<string, unknown>>

export interface GuardScene {
  readonly spec?: Json
  readonly annotations?: Readonly<Record<string, string>>
  readonly observed?: number
  /** `Held True NodesHeld held: n1`. */
  readonly conditions?: readonly string[]
  readonly status?: Json
  readonly nodes?: readonly Json[]
  /** Names of the Nodes that are cordoned, of n1 to n5. */
  readonly cordoned?: readonly string[]
  readonly terminal?: boolean
  /** What the person at the terminal types. */
  readonly typed?: string
  /** Of the kubeconfig. */
  readonly user?: string
  readonly env?: Readonly<Record<string, string>>
}

/** A NodeGuard `data/storage` as a controller left it, the Nodes n1 to n5, and the commands about them, through the adapter. */
export class ScriptedGuard {
  readonly api = new EmbeddedApi('data')
  readonly context: ReturnType<typeof memoryContext>['context']
  readonly asked: string[] = []
  readonly #typed: string
  readonly #user: string
  readonly #env: Readonly<Record<string, string>>

  constructor(scene: GuardScene = {}) {
    const { spec, annotations, observed = 1, conditions = [], status, nodes = [], cordoned = [] } = scene
    this.context = memoryContext({ terminal: scene.terminal ?? false }).context
    this.#typed = scene.typed ?? ''
    this.#user = scene.user ?? 'alice'
    this.#env = scene.env ?? {}
    for (const name of ['n1', 'n2', 'n3', 'n4', 'n5']) {
      const isCordoned = cordoned.includes(name) ? { unschedulable: true } : {}
      createObject(this.api.world, {
        resource: NODES,
        body: { metadata: { name, labels: { disk: 'ssd' } }, spec: isCordoned },
      })
    }
    const follow = { daemonSet: { name: 'storage-node' } }
    const holds = [{ name: 'volumes', volumes: { drivers: ['csi.example.com'] } }]
    this.add({
      metadata: { name: 'storage', ...(annotations === undefined ? {} : { annotations }) },
      spec: { follow, holds, ...spec },
    })
    this.store('status', {
      observedGeneration: observed,
      ...{ desiredNodes: 5, guardedNodes: 5, requestedNodes: nodes.length, heldNodes: countHeld(nodes) },
      conditions: conditions.map(conditionOf),
      nodes,
      ...status,
    })
  }

  get object(): Json & { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } } {
    return this.api.world.store.get(NODE_GUARDS, { namespace: 'data', name: 'storage' }) as never
  }

  /** Another NodeGuard of the namespace. */
  add(body: Json): void {
    createObject(this.api.world, { resource: NODE_GUARDS, namespace: 'data', body })
  }

  /** One field is another one, as a controller or a person writes it. */
  store(field: 'status' | 'metadata', change: Json): void {
    const found = this.object
    this.api.world.store.put(NODE_GUARDS, {
      ...found,
      [field]: { ...(found[field] as Json | undefined), ...change },
    } as never)
  }

  remove(): void {
    const old = this.api.world.store.get(NODE_GUARDS, { namespace: 'data', name: 'storage' })
    if (old !== undefined) deleteObject(this.api.world, { resource: NODE_GUARDS, old, options: {} })
  }

  /** Runs one command line, in virtual time. */
  async run(line: string, more: readonly string[] = []) {
    const { api, context, asked } = this
    const parts = {
      client: api.client(),
      reach: new ApiReach(api.time),
      clock: api.time,
      random: new SeededRandom(2),
      log: { debug: () => undefined, warn: () => undefined },
    }
    const ground = { objects: kubeObjects(parts), cluster: api.cluster(), namespace: 'data', user: this.#user }
    const [out, err] = [context.out.text.length, context.err.text.length]
    const commands = [addGuardCommand(async () => ({ open: async () => ground }))]
    const ask = async (question: string, _signal: AbortSignal, word?: string) => {
      asked.push(question)
      return this.#typed === word
    }
    const words = ['guard', ...line.split(' '), ...more]
    const terminal = { ...context.terminal, env: { ...context.terminal.env, ...this.#env } }
    const surroundings = { ...context, terminal, ask, clock: api.time }
    const code = await api.time.settle(runProgram({ version: '0', context: surroundings, commands }, words), 3_600_000)
    return { code, out: context.out.text.slice(out), err: context.err.text.slice(err) }
  }
}

const countHeld = (nodes: readonly Json[]): number => nodes.filter(({ state }) => state === 'Held').length

function conditionOf(text: string): Json {
  const [type, status, reason, ...message] = text.split(' ')
  return { type, status, reason, message: message.join(' '), lastTransitionTime: '2026-01-01T00:00:00Z' }
}
