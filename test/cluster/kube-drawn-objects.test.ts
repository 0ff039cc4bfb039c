import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { SeededRandom } from '../../src/sim/clocks/seeded-random.ts'
import type { Bed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { field } from '../contract/api/field.ts'
import { shipped } from '../support/agent-chart.ts'
import { ControllerProcess } from '../support/controller/controller-process.ts'
import type { RawApi, RawReply } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { isNight } from '../support/roll-bed/at-night.ts'
import { objectOnPage } from '../support/roll-bed/controller-on-bed.ts'
import { KubeGround } from './kube-ground.ts'

/**
 * Objects are drawn from the CustomResourceDefinitions: an example of the docs, with fields that are set to what the schema allows
 * and to what it does not, taken away, or added. A real API server and the whole controller get them.
 */
const COUNT = isNight ? 5_000 : 120
const AT_ONCE = 40
const { DRAWN_FROM = '0' } = process.env

type Json = Readonly<Record<string, unknown>>

interface Kind {
  readonly kind: string
  readonly plural: string
  readonly namespace: string
  readonly base: Json
}

const example = (page: string, kind: string): Json => objectOnPage(page, kind) as unknown as Json

const KINDS: readonly Kind[] = [
  { kind: 'Roll', plural: 'rolls', namespace: 'evenkeel', base: example('rolls.md', 'Roll') },
  { kind: 'RollSchedule', plural: 'rollschedules', namespace: 'evenkeel', base: example('rolls.md', 'RollSchedule') },
  { kind: 'NodeGuard', plural: 'nodeguards', namespace: 'tenant', base: example('guard.md', 'NodeGuard') },
  {
    kind: 'IngressDaemonSet',
    plural: 'ingressdaemonsets',
    namespace: 'tenant',
    base: example('ingress.md', 'IngressDaemonSet'),
  },
]

const pathOf = ({ plural, namespace }: Pick<Kind, 'plural' | 'namespace'>): string =>
  `/apis/evenkeel.dev/v1alpha1/namespaces/${namespace}/${plural}`

interface Schema extends Json {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

function schemaOf({ plural }: Kind): Schema {
  const path = new URL(`../../deploy/crd/${plural}.evenkeel.dev.yaml`, import.meta.url)
  const definition = parse(readFileSync(path, 'utf8')) as unknown
  return field(definition, 'spec.versions.0.schema.openAPIV3Schema') as Schema
}

const TEXTS = [
  ...[
    '',
    ' ',
    'a',
    'n1',
    'all',
    '5s',
    '10min',
    '25%',
    '-1',
    '0',
    '1e9s',
    '../../etc/passwd',
    '$(reboot)',
    '{node}',
    '{{ .x }}',
  ],
  ...[
    'a=b',
    'a in (b,c)',
    '!a',
    'http://127.0.0.1:1/',
    'https://[::1',
    '10.0.0.1:99999',
    '* * * * *',
    '61 25 * * *',
    'Europe/Berlin',
  ],
  ...['\u0000', '\u202e', 'ü'.repeat(300), 'x'.repeat(5_000), '"; DROP', '__proto__', '%n%s', '\n---\n', '\u{1f4a5}'],
]
const KEYS = ['__proto__', 'constructor', 'toString', 'spec', 'x', '', 'a/b', 'é', 'nodes', 'containers', 'metadata']

/** Draws objects of one seed. */
class Drawer {
  readonly #random: SeededRandom

  constructor(seed: number) {
    this.#random = new SeededRandom(`objects ${seed}`)
  }

  below(limit: number): number {
    return Math.floor(this.#random.next() * limit)
  }

  of<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value
  }

  object(kind: Kind, schema: Schema, name: string): Json {
    const object = structuredClone(kind.base) as Record<string, unknown>
    object.metadata = { ...(object.metadata as Json), name, namespace: kind.namespace }
    for (let left = 1 + this.below(3); left > 0; left -= 1) this.#twist(object, schema)
    return object
  }

  #twist(object: Record<string, unknown>, schema: Schema): void {
    const spec = schema.properties?.spec ?? {}
    const twists: readonly (() => void)[] = [
      () => this.#metadata(object),
      () => this.#remove(object),
      () => this.#add(object),
      () => this.#set(object, spec, () => this.#wrong(0)),
      ...Array<() => void>(5).fill(() => this.#set(object, spec, (of) => this.#fitting(of, 0))),
    ]
    this.of(twists)()
  }

  /** Walks down the schema, and the object with it, and sets what it comes to. */
  #set(object: Record<string, unknown>, spec: Schema, value: (schema: Schema) => unknown): void {
    let [place, key, at]: [Record<string, unknown>, string, Schema] = [object, 'spec', spec]
    for (let depth = 0; ; depth += 1) {
      const below = Object.keys(at.properties ?? {})
      const there = place[key]
      if (below.length === 0 || this.below(depth === 0 ? 30 : 4) === 0) break
      if (typeof there !== 'object' || there === null || Array.isArray(there)) place[key] = {}
      place = place[key] as Record<string, unknown>
      key = this.of(below)
      at = at.properties?.[key] ?? {}
    }
    place[key] = value(at)
  }

  #fitting(schema: Schema, depth: number): unknown {
    if (schema.enum !== undefined) return this.of(schema.enum)
    switch (schema.type) {
      case 'boolean':
        return this.below(2) === 0
      case 'integer':
      case 'number':
        return this.of([schema.minimum ?? 0, schema.maximum ?? 2_147_483_647, 1, 2, 5])
      case 'string':
        return this.of(TEXTS).slice(0, schema.maxLength ?? 10_000)
      case 'array': {
        const length = Math.min(this.below(4), schema.maxItems ?? 4)
        return Array.from({ length }, () => this.#fitting(schema.items ?? {}, depth + 1))
      }
      default: {
        if (schema.additionalProperties !== undefined)
          return { [this.of(KEYS)]: this.#fitting(schema.additionalProperties, depth + 1) }
        const required = new Set(schema.required)
        const names = Object.keys(schema.properties ?? {}).filter(
          (name) => required.has(name) || (depth < 5 && this.below(2) === 0),
        )
        if (schema.type === undefined) return this.of<unknown>([{}, this.of(TEXTS), 1, { matchLabels: { app: 'web' } }])
        return Object.fromEntries(
          names.map((name) => [name, this.#fitting(schema.properties?.[name] ?? {}, depth + 1)]),
        )
      }
    }
  }

  #wrong(depth: number): unknown {
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })
    const values: readonly (() => unknown)[] = [
      () => null,
      () => this.of([-1, 0, 1.5, 1e308, -2_147_483_649, 9_007_199_254_740_991]),
      () => this.of(TEXTS),
      () => this.below(2) === 0,
      () => [],
      () => ({}),
      () => deep(this.of([3, 30, 1_500])),
      () => Array.from({ length: 300 }, (_, at) => at),
      () => Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, at])),
      () => [depth > 2 ? 1 : this.#wrong(depth + 1)],
      () => JSON.parse(`{"${this.of(KEYS)}":1,"__proto__":{"all":true}}`) as unknown,
    ]
    return this.of(values)()
  }

  #remove(object: Record<string, unknown>): void {
    const [place, key] = this.#somewhere(object.spec)
    if (place !== undefined) delete place[key]
  }

  #add(object: Record<string, unknown>): void {
    const [place] = this.#somewhere(object.spec)
    if (place !== undefined)
      Object.defineProperty(place, this.of(KEYS), { value: this.#wrong(0), configurable: true, enumerable: true })
  }

  #somewhere(spec: unknown): readonly [Record<string, unknown> | undefined, string] {
    let place = spec as Record<string, unknown>
    if (typeof place !== 'object' || place === null) return [undefined, '']
    for (;;) {
      const key = this.of(Object.keys(place))
      const next = place[key]
      if (typeof next !== 'object' || next === null || Object.keys(next).length === 0 || this.below(3) === 0)
        return [place, key ?? '']
      place = next as Record<string, unknown>
    }
  }

  #metadata(object: Record<string, unknown>): void {
    const metadata = object.metadata as Json
    const twists: readonly Json[] = [
      { finalizers: ['example.com/holds'] },
      { labels: { [this.of(['evenkeel.dev/roll-uid', 'app', 'a b'])]: this.of(TEXTS).slice(0, 80) } },
      { annotations: { [`evenkeel.dev/${this.of(['record', 'intent', 'retry', 'undo'])}`]: this.of(TEXTS) } },
      { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'x', controller: true }] },
      { name: `${String(metadata.name)}-${'y'.repeat(this.of([30, 200, 240]))}` },
      { generateName: 'drawn-' },
    ]
    object.metadata = { ...metadata, ...this.of(twists) }
  }
}

/** The refusal says which field is wrong. A field of another type has no cause: it is named by the words. */
function namesField({ status, body }: RawReply): boolean {
  const causes = (field(body, 'details.causes') ?? []) as readonly { readonly field?: string }[]
  const isNamed = causes.some(({ field: at = '' }) => /^(spec|metadata|apiVersion|kind)/.test(at))
  return isNamed || (status === 400 && /metadata|spec|apiVersion|kind/.test(String(field(body, 'message'))))
}

/** A Job as administrators write it. */
const JOB = {
  backoffLimit: 1,
  template: {
    spec: {
      restartPolicy: 'Never',
      serviceAccountName: 'evenkeel-roll',
      containers: [{ name: 'roll', image: 'registry.example/evenkeel:own' }],
    },
  },
}

/** What may be there without an owner. */
const OWN =
  /^(Lease|ConfigMap) evenkeel\/evenkeel-|^ConfigMap [^/]+\/kube-root-ca\.crt$|^(Secret|ServiceAccount) \S+\/default/
const WATCHED = [
  'api/v1/pods',
  'api/v1/configmaps',
  'api/v1/secrets',
  'api/v1/serviceaccounts',
  'api/v1/services',
].concat(
  ['deployments', 'daemonsets', 'statefulsets', 'replicasets'].map((plural) => `apis/apps/v1/${plural}`),
  ['batch/v1/jobs', 'batch/v1/cronjobs', 'policy/v1/poddisruptionbudgets', 'coordination.k8s.io/v1/leases'].map(
    (plural) => `apis/${plural}`,
  ),
  ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map(
    (plural) => `apis/rbac.authorization.k8s.io/v1/${plural}`,
  ),
)

interface There {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly ownerReferences?: readonly { readonly uid: string }[]
  }
}

describe('objects that are drawn from the CustomResourceDefinitions', requires('testbed'), () => {
  const ground = new KubeGround()
  const directory = mkdtempSync(join(tmpdir(), 'evenkeel-drawn-'))
  let bed: Bed
  let raw: RawApi
  let controller: ControllerProcess
  let known = new Set<string>()

  before(async () => {
    ;({ bed, raw } = await ground.open())
    const names = KINDS.map(({ plural }) => `crd/${plural}.evenkeel.dev`)
    for (const name of names) await bed.apply(shipped(`${name}.yaml`))
    await bed.established(names)
    for (const name of ['evenkeel', 'tenant'])
      await bed.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }])
    for (const name of ['n1', 'n2', 'n3'])
      await raw('POST', '/api/v1/nodes', { metadata: { name, labels: { app: 'web', 'kubernetes.io/hostname': name } } })
    writeFileSync(join(directory, 'job.yaml'), JSON.stringify({ spec: JOB }))
    writeFileSync(join(directory, 'allowed.yaml'), '[]')
    known = new Set((await there()).map(({ uid }) => uid))
    const words = ['--kubeconfig', bed.kubeconfig, '--namespace', 'evenkeel', '--status-port', '0']
    controller = await ControllerProcess.start([...words, '--ingress', '--guard', '--rolls', directory])
  })
  after(async () => {
    await controller?.end('SIGKILL')
    await ground.close()
    rmSync(directory, { recursive: true, force: true })
  })

  async function there(): Promise<readonly { readonly id: string; readonly uid: string; readonly object: There }[]> {
    const lists = await Promise.all(WATCHED.map((path) => raw('GET', `/${path}`)))
    return lists.flatMap(({ body }) => {
      const kind = String(field(body, 'kind')).replace(/List$/, '')
      return ((field(body, 'items') ?? []) as readonly There[]).map((object) => {
        const { namespace = '', name, uid } = object.metadata
        return { id: `${kind} ${namespace}/${name}`, uid, object }
      })
    })
  }

  /** Each object that came since belongs to one that was drawn. One whose owner is gone is collected. */
  async function strange(drawn: ReadonlySet<string>): ReturnType<typeof there> {
    const now = await there()
    const all = new Map(now.map((one) => [one.uid, one]))
    const isOwned = (object: There): boolean =>
      (object.metadata.ownerReferences ?? []).some(({ uid }) => {
        const owner = all.get(uid)
        return drawn.has(uid) || (owner !== undefined && isOwned(owner.object))
      })
    return now.filter(({ id, uid, object }) => !known.has(uid) && !OWN.test(id) && !isOwned(object))
  }

  async function endPod({ metadata: { namespace, name } }: There): Promise<void> {
    await raw('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`, { gracePeriodSeconds: 0 })
  }

  async function assertNothingElse(drawn: ReadonlySet<string>): Promise<void> {
    const isCollected = async (): Promise<true | undefined> => {
      const left = await strange(drawn)
      // No kubelet ends a pod that was deleted.
      for (const { object } of left) if (field(object, 'metadata.deletionTimestamp') !== undefined) await endPod(object)
      return left.length === 0 || undefined
    }
    await waitFor({ what: 'the collection of what has no owner', limitMs: 60_000, everyMs: 300 }, isCollected).catch(
      async () => {
        const left = await strange(drawn)
        assert.deepEqual(
          left.map(({ id }) => id),
          [],
        )
      },
    )
    const now = await there()
    for (const { id, uid, object } of now.filter(({ id }) => id.startsWith('Job '))) {
      const pod = field(object, 'spec.template.spec')
      const [container, ...others] = field(pod, 'containers') as readonly Json[]
      assert.deepEqual(
        [
          id.startsWith('Job evenkeel/'),
          field(pod, 'serviceAccountName'),
          container?.image,
          others,
          field(pod, 'hostPID'),
        ],
        [true, 'evenkeel-roll', 'registry.example/evenkeel:own', [], undefined],
        `${id} ${uid}`,
      )
    }
  }

  /** A Node bears what others gave it: it is asked to leave by annotations, and by nothing else. */
  async function assertNodes(): Promise<void> {
    const { body } = await raw('GET', '/api/v1/nodes')
    for (const node of field(body, 'items') as readonly unknown[]) {
      const taints = (field(node, 'spec.taints') ?? []) as readonly { readonly key: string }[]
      const own = taints.filter(({ key }) => !key.startsWith('node.kubernetes.io/'))
      const labels = { app: 'web', 'kubernetes.io/hostname': field(node, 'metadata.name') }
      assert.deepEqual(
        [field(node, 'metadata.labels'), field(node, 'spec.unschedulable'), own],
        [labels, undefined, []],
      )
    }
  }

  interface Taken {
    readonly kind: Kind
    readonly seed: number
    readonly name: string
    readonly uid: string
  }

  /** The controller has said something of it as it is. One whose owner is not there is deleted by the API server. */
  const hasAnswer = ({ kind: { kind } }: Taken, body: unknown): boolean =>
    field(body, 'metadata.deletionTimestamp') !== undefined ||
    (kind === 'Roll'
      ? field(body, 'status.state') !== undefined
      : field(body, 'status.observedGeneration') === field(body, 'metadata.generation'))

  async function untilAnswered(taken: Taken): Promise<void> {
    const path = `${pathOf(taken.kind)}/${taken.name}`
    await waitFor({ what: `an answer to seed ${taken.seed}, ${path}`, limitMs: 60_000, everyMs: 200 }, async () => {
      const { status, body } = await raw('GET', path)
      if (status === 404) return true
      if (!hasAnswer(taken, body)) return undefined
      const { kind } = taken.kind
      // What a Roll is stopped for before it ran is a field of its file.
      if (kind === 'Roll' && field(body, 'status.state') === 'Stopped')
        assert.match(String(field(body, 'status.message')), /^(spec|metadata)/, `seed ${taken.seed}`)
      return true
    }).catch(async (error: unknown) => {
      const { body } = await raw('GET', path)
      const said = [JSON.stringify(body), await controller.page('/healthz'), ...controller.said.slice(-5)]
      throw new Error(said.join('\n'), { cause: error })
    })
  }

  /** No agent and no pod answers here, so what holds an object is taken off it. */
  async function discard({ kind, name }: Taken): Promise<void> {
    const path = `${pathOf(kind)}/${name}`
    await raw('DELETE', path, { propagationPolicy: 'Background' })
    await waitFor({ what: `${path} to go`, limitMs: 60_000, everyMs: 300 }, async () => {
      const { status } = await raw('PATCH', path, { metadata: { finalizers: null } })
      return status === 404 ? true : undefined
    })
  }

  async function give(seed: number): Promise<Taken | undefined> {
    const drawer = new Drawer(seed)
    const kind = drawer.of(KINDS)
    const object = drawer.object(kind, schemaOf(kind), `drawn-${seed}`)
    const reply = await raw('POST', pathOf(kind), object)
    const name = String(field(reply.body, 'metadata.name'))
    if (reply.status === 201) return { kind, seed, name, uid: String(field(reply.body, 'metadata.uid')) }
    const said = `seed ${seed}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 600)}`
    assert.ok(reply.status === 422 || reply.status === 400, said)
    assert.ok(namesField(reply), said)
    return undefined
  }

  test(`${COUNT} of them: each is refused with the name of a field, or answered; the controller lives, and makes nothing else`, {
    timeout: 3_000_000,
  }, async (t) => {
    const drawn = new Set<string>()
    const first = Number(DRAWN_FROM)
    let refused = 0
    for (let from = first; from < first + COUNT; from += AT_ONCE) {
      const seeds = Array.from({ length: Math.min(AT_ONCE, first + COUNT - from) }, (_, at) => from + at)
      const given = await Promise.all(seeds.map(give))
      const taken = given.filter((one) => one !== undefined)
      refused += given.length - taken.length
      for (const { uid } of taken) drawn.add(uid)
      await Promise.all(taken.map(untilAnswered))
      await assertNothingElse(drawn)
      await assertNodes()
      await Promise.all(taken.map(discard))
      assert.match(await controller.page('/healthz'), /^200 /)
    }
    t.diagnostic(`${refused} refused by the API server, ${drawn.size} taken`)
  })

  test('after all of that a right object of each kind is acted on', { timeout: 120_000 }, async () => {
    for (const kind of KINDS) {
      const object = { ...kind.base, metadata: { name: 'right', namespace: kind.namespace } }
      const { status, body } = await raw('POST', pathOf(kind), object)
      assert.equal(status, 201, JSON.stringify(body))
      await untilAnswered({ kind, seed: -1, name: 'right', uid: String(field(body, 'metadata.uid')) })
    }
    await waitFor({ what: 'the Job of the Roll', limitMs: 60_000, everyMs: 300 }, async () => {
      const { body } = await raw('GET', '/apis/batch/v1/namespaces/evenkeel/jobs')
      const owners = (field(body, 'items') as readonly There[]).flatMap(
        ({ metadata }) => metadata.ownerReferences ?? [],
      )
      return owners.length > 0 || undefined
    })
  })
})
