import { runProgram } from '../../../src/cli/program.ts'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { addRolloutCommand } from '../../../src/ingress/cli/rollout-command.ts'
import { ingressKind } from '../../../src/ingress/decide/ingress-kind.ts'
import { formatOp } from '../../../src/ingress/decide/op.ts'
import { wantedRevision } from '../../../src/ingress/decide/revision.ts'
import type { ApiResource } from '../../../src/sim/world/api-resource.ts'
import {
  API_RESOURCES,
  CONTROLLER_REVISIONS,
  DEPLOYMENTS,
  INGRESS_DAEMON_SETS,
  LEASES,
  NAMESPACES,
} from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import { memoryContext } from '../../cli/memory-context.ts'
import { EmbeddedApi } from '../../support/embedded-api.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

export type Json = Readonly<Record<string, unknown>>

const templateOf = (version: string): Json => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'proxy', image: `registry.example/proxy:${version}` }] },
})

interface NodeScene {
  readonly name: string
  readonly state?: string
  readonly reason?: string
  readonly message?: string
  /** Of its Deployment. */
  readonly annotations?: Readonly<Record<string, string>>
  readonly isUnderWay?: boolean
}

export interface Scene {
  readonly spec?: Json
  readonly metadata?: Json
  readonly observed?: number
  /** `Progressing False RolloutPaused paused`. */
  readonly conditions?: readonly string[]
  readonly status?: Json
  readonly nodes?: readonly NodeScene[]
  readonly lease?: Json | 'none'
  readonly terminal?: boolean
}

const LEASE = { holderIdentity: 'us', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' }

/** An IngressDaemonSet `edge/web` as a controller left it, and the commands about it, through the adapter. Its image is v2, v1 before. */
export class ScriptedRollout {
  readonly api = new EmbeddedApi('edge')
  readonly context: ReturnType<typeof memoryContext>['context']

  constructor({
    spec,
    metadata,
    observed,
    conditions = [],
    status,
    nodes = [],
    lease = LEASE,
    terminal = false,
  }: Scene = {}) {
    this.context = memoryContext({ terminal }).context
    createObject(this.api.world, { resource: NAMESPACES, body: { metadata: { name: 'evenkeel' } } })
    this.#add(INGRESS_DAEMON_SETS, 'edge', {
      metadata: { name: 'web', ...metadata },
      spec: { podsPerNode: 2, selector: { matchLabels: { app: 'web' } }, template: templateOf('v2'), ...spec },
    })
    const hashes = ['v1', 'v2'].map((version, i) => this.#revision(version, i + 1))
    const [before = '', wanted = ''] = hashes
    for (const node of nodes) this.#deployment(node, wanted)
    if (lease !== 'none') this.#add(LEASES, 'evenkeel', { metadata: { name: 'evenkeel-controller' }, spec: lease })
    this.store('status', {
      observedGeneration: observed ?? 1,
      updateRevision: wanted,
      currentRevision: before,
      desiredNodes: 3,
      readyNodes: 3,
      updatedNodes: 3,
      conditions: conditions.map(conditionOf),
      nodes: nodes.flatMap(({ name, state, reason, message }) =>
        state === undefined ? [] : [{ name, state, reason, message }],
      ),
      ...status,
    })
  }

  get object(): Json & { readonly spec: Json; readonly metadata: Json; readonly status: Json } {
    return this.api.world.store.get(INGRESS_DAEMON_SETS, { namespace: 'edge', name: 'web' }) as never
  }

  deploymentOf(node: string): Readonly<Record<string, string>> {
    const found = [...this.api.world.store.all(DEPLOYMENTS)].find(
      ({ metadata }) => metadata.annotations?.['evenkeel.dev/node'] === node,
    )
    return found?.metadata.annotations ?? {}
  }

  /** One field is another one, as a controller or a person writes it. */
  store(field: 'status' | 'spec' | 'metadata', change: Json): void {
    const found = this.object
    this.api.world.store.put(INGRESS_DAEMON_SETS, {
      ...found,
      [field]: { ...(found[field] as Json | undefined), ...change },
    } as never)
  }

  conditions(...conditions: readonly string[]): void {
    this.store('status', { conditions: conditions.map(conditionOf) })
  }

  /** One of the same name in the group of the controller that came first. */
  alsoInFirstGroup(): void {
    const { spec } = this.object
    const resource = API_RESOURCES.find(({ group }) => group === 'ingressdaemonsets.mumoshu.github.io')
    if (resource === undefined) throw new Error('the world does not know that group')
    this.#add(resource, 'edge', { metadata: { name: 'web' }, spec })
  }

  remove(): void {
    const old = this.api.world.store.get(INGRESS_DAEMON_SETS, { namespace: 'edge', name: 'web' })
    if (old !== undefined) deleteObject(this.api.world, { resource: INGRESS_DAEMON_SETS, old, options: {} })
  }

  #add(resource: ApiResource, namespace: string, body: Json): void {
    createObject(this.api.world, { resource, namespace, body })
  }

  #revision(version: string, number: number): string {
    const raw = { ...this.object, spec: { ...this.object.spec, template: templateOf(version) } }
    const ids = ingressKind('evenkeel.dev').parse(new Untrusted(raw, 'web'))
    const body = wantedRevision(ids, { number, collisionCount: 0 })
    this.#add(CONTROLLER_REVISIONS, 'edge', body)
    return body.metadata.labels['controller-revision-hash'] ?? ''
  }

  #deployment({ name, annotations, isUnderWay }: NodeScene, revision: string): void {
    const op = formatOp({ id: `op-${name}`, revision, phase: 'Updating', t0: wallMs(this.api.time.wallMs() - 72_000) })
    this.#add(DEPLOYMENTS, 'edge', {
      metadata: {
        name: `web-${name}`,
        // An adopted Deployment keeps the label of its first owner while an operation is under way.
        labels: { 'evenkeel.dev/ingress': 'web', 'evenkeel.dev/ingress-uid': 'of-the-first' },
        ownerReferences: [
          {
            ...{ apiVersion: 'evenkeel.dev/v1alpha1', kind: 'IngressDaemonSet', name: 'web' },
            uid: this.object.metadata.uid,
            controller: true,
          },
        ],
        annotations: {
          'evenkeel.dev/node': name,
          'evenkeel.dev/template-hash': revision,
          ...(isUnderWay === true ? { 'evenkeel.dev/ingress-operation': op } : {}),
          ...annotations,
        },
      },
      spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: templateOf('v2') },
    })
  }

  /** Runs one command line, in virtual time. */
  async run(
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    const { api, context } = this
    const parts = {
      client: api.client(),
      reach: new ApiReach(api.time),
      clock: api.time,
      random: new SeededRandom(2),
      log: { debug: () => undefined, warn: () => undefined },
    }
    const ground = { objects: kubeObjects(parts), cluster: api.cluster(), namespace: 'edge' }
    const [out, err] = [context.out.text.length, context.err.text.length]
    const commands = [addRolloutCommand(async () => ({ open: async () => ground }))]
    const code = await api.time.settle(
      runProgram({ version: '0', context: { ...context, clock: api.time }, commands }, ['rollout', ...words]),
      3_600_000,
    )
    return { code, out: context.out.text.slice(out), err: context.err.text.slice(err) }
  }
}

function conditionOf(text: string): Json {
  const [type, status, reason, ...message] = text.split(' ')
  const lastTransitionTime = '2026-01-01T00:00:00Z'
  return { type, status, reason, message: message.join(' '), lastTransitionTime }
}
