import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { GUARD_FAULTS, guardObject } from '../support/guard/guard-faults.ts'
import { GuardApiGround } from '../support/guard-api/guard-api-ground.ts'
import { type ApiObject, conditionOf, hostOf, isLeaving, nodeOf } from '../support/ingress-api/api-object.ts'
import { CONTROLLER_USER } from '../support/ingress-api/ingress-plane.ts'
import { requires } from '../support/requires.ts'
import { atNight } from '../support/roll-bed/at-night.ts'
import { refusedRequests } from '../support/roll-bed/audit.ts'

const GUARDS = '/apis/evenkeel.dev/v1alpha1/namespaces/default/nodeguards'

interface GuardRow {
  readonly name: string
  readonly state: string
  readonly reason?: string
  readonly message?: string
}

interface ApiEvent {
  readonly involvedObject?: { readonly name?: string }
  readonly reason?: string
  readonly message?: string
  readonly type?: string
}

/** One NodeGuard in a group of its own, and nodes that no other one guards. */
class GuardedNodes {
  readonly name: string
  /** The one that most tests are about, and the others. */
  readonly node: string
  readonly nodes: readonly string[]
  readonly #ground: GuardApiGround

  private constructor(ground: GuardApiGround, name: string, count: number) {
    this.#ground = ground
    this.name = name
    this.nodes = Array.from({ length: count }, (_, at) => `${name}-${at + 1}`)
    this.node = this.nodes[0] ?? ''
  }

  /** Once each node is guarded. */
  static async open(
    ground: GuardApiGround,
    name: string,
    { spec, nodes = 1 }: { readonly spec: object; readonly nodes?: number },
  ): Promise<GuardedNodes> {
    const of = new GuardedNodes(ground, name, nodes)
    await ground.nodes(of.nodes, { 'guarded-by': name })
    await ground.mustAsk('POST', GUARDS, of.manifest(spec))
    await of.until('every node to be guarded', () => of.condition('Ready') === 'True AllGuarded')
    return of
  }

  manifest(spec: object): object {
    return {
      ...{ apiVersion: 'evenkeel.dev/v1alpha1', kind: 'NodeGuard', metadata: { name: this.name } },
      spec: { group: this.name, follow: { nodeSelector: { 'guarded-by': this.name } }, ...spec },
    }
  }

  until(what: string, holds: () => boolean | Promise<boolean>): Promise<true> {
    return this.#ground.until(`${this.name}: ${what}`, holds, () => JSON.stringify(this.#guard()?.status))
  }

  #guard(): ApiObject | undefined {
    return this.#ground.view.now('guards').find(({ metadata }) => metadata.name === this.name)
  }

  condition(type: string): string | undefined {
    const guard = this.#guard()
    return guard === undefined ? undefined : conditionOf(guard, type)
  }

  messageOf(type: string): string {
    const { conditions = [] } = (this.#guard()?.status ?? {}) as {
      conditions?: readonly { readonly type: string; readonly message: string }[]
    }
    return conditions.find((one) => one.type === type)?.message ?? ''
  }

  #rows(): readonly GuardRow[] {
    return (this.#guard()?.status?.nodes ?? []) as readonly GuardRow[]
  }

  /** `Held HoldStands`; empty where the node is Armed. */
  row(node = this.node): string {
    const { state = '', reason = '' } = this.#rows().find(({ name }) => name === node) ?? {}
    return `${state} ${reason}`.trim()
  }

  message(node = this.node): string {
    return this.#rows().find(({ name }) => name === node)?.message ?? ''
  }

  released(): readonly Readonly<Record<string, string>>[] {
    return (this.#guard()?.status?.released ?? []) as readonly Readonly<Record<string, string>>[]
  }

  cordon(is: boolean, node = this.node): Promise<void> {
    return this.#ground.patchNode(node, { spec: { unschedulable: is } })
  }

  async annotate(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#ground.mustAsk('PATCH', `${GUARDS}/${this.name}`, { metadata: { annotations } })
  }

  guardOf(node = this.node): ApiObject | undefined {
    return this.#ground.view
      .now('pods')
      .find(
        (pod) => pod.metadata.labels?.['evenkeel.dev/guard'] === this.name && hostOf(pod) === node && !isLeaving(pod),
      )
  }

  /** Whether the budget of the node lets its guard go. */
  isOpen(node = this.node): boolean {
    const gate = this.#ground.view
      .now('gates')
      .find(({ metadata }) => metadata.labels?.['evenkeel.dev/guard'] === this.name && nodeOf({ metadata }) === node)
    return (gate?.spec as { readonly minAvailable?: number } | undefined)?.minAvailable === 0
  }

  /** What the API server answers to the eviction of the guard; 404: there is none. */
  async evict(node = this.node): Promise<number> {
    const name = this.guardOf(node)?.metadata.name
    if (name === undefined) return 404
    const path = `/api/v1/namespaces/default/pods/${name}/eviction`
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } }
    return (await this.#ground.api('POST', path, eviction)).status
  }

  /** As a drain does, which tries again. */
  async drained(node = this.node): Promise<void> {
    await this.until(`the guard of ${node} to be evicted`, async () => (await this.evict(node)) === 201)
    await this.until(`${node} to be Draining`, () => this.row(node) === 'Draining NodeDraining')
  }

  /** After the work. */
  async back(node = this.node): Promise<void> {
    await this.cordon(false, node)
    await this.until(
      'every node to be guarded again',
      () => this.row(node) === '' && this.condition('Ready') === 'True AllGuarded',
    )
  }

  /** As `Warning HeldTooLong: message`. */
  async events(): Promise<readonly string[]> {
    const selector = `involvedObject.kind=NodeGuard,involvedObject.name=${this.name}`
    const list = await this.#ground.mustAsk('GET', `/api/v1/namespaces/default/events?fieldSelector=${selector}`)
    const { items } = list as { readonly items: readonly ApiEvent[] }
    return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
  }

  async untilEvent(event: RegExp): Promise<void> {
    await this.until(`the Event ${event}`, async () => (await this.events()).some((one) => event.test(one)))
  }
}

interface KindRow {
  readonly name: string
  readonly hold: (ground: GuardApiGround) => object
  /** Brings about that the node is held, or that it is not. */
  readonly set: (
    ground: GuardApiGround,
    of: { readonly name: string; readonly node: string },
    isHeld: boolean,
  ) => unknown
  readonly says: RegExp
}

const MAPS = '/api/v1/namespaces/default/configmaps'
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments'
const PODS = '/api/v1/namespaces/default/pods'

/** It is there while the node is held. */
const whileHeld =
  (path: string, made: (node: string) => { readonly metadata: { readonly name: string } }) =>
  async (ground: GuardApiGround, { node }: { readonly node: string }, isHeld: boolean): Promise<void> => {
    const object = made(node)
    if (isHeld) await ground.mustAsk('POST', path, object)
    else await ground.mustAsk('DELETE', `${path}/${object.metadata.name}`)
  }

const KINDS: readonly KindRow[] = [
  {
    name: 'volumes',
    hold: () => ({ volumes: { drivers: ['csi.example.com'] } }),
    set: whileHeld(ATTACHMENTS, (node) => ({
      metadata: { name: `of-${node}` },
      spec: { attacher: 'csi.example.com', nodeName: node, source: { persistentVolumeName: `pv-${node}` } },
    })),
    says: /volumes are attached: pv-volumes-1/,
  },
  {
    name: 'pods',
    hold: () => ({ pods: { namespace: 'default', selector: { app: 'db' } } }),
    set: whileHeld(PODS, (node) => ({
      metadata: { name: `db-on-${node}`, labels: { app: 'db' } },
      spec: { nodeName: node, containers: [{ name: 'db', image: 'registry.example/db:1' }] },
    })),
    says: /pods are on the node: default\/db-on-pods-1/,
  },
  {
    name: 'http',
    hold: ({ targets }) => ({ http: { url: targets.url('/http/{node}'), jsonPath: '$.status', equals: 'green' } }),
    set: ({ targets }, { node }, isHeld) => targets.set(`/http/${node}`, { status: isHeld ? 'yellow' : 'green' }),
    says: /http\/http-1 answered 200, \$\.status is yellow, not green/,
  },
  {
    name: 'object',
    hold: () => objectHold('object-{node}', "object.data.state == 'green'"),
    set: async (ground, { node }, isHeld) => {
      const data = { state: isHeld ? 'yellow' : 'green' }
      if (isHeld) await ground.mustAsk('POST', MAPS, { metadata: { name: `object-${node}` }, data })
      else await ground.mustAsk('PATCH', `${MAPS}/object-${node}`, { data })
    },
    says: /configmaps default\/object-object-1: not object\.data\.state == 'green'/,
  },
  {
    name: 'annotation',
    hold: () => ({ annotation: { key: 'example.com/busy' } }),
    set: (ground, { node }, isHeld) =>
      ground.patchNode(node, { metadata: { annotations: { 'example.com/busy': isHeld ? '' : null } } }),
    says: /the Node has the annotation example\.com\/busy/,
  },
]

function objectHold(name: string, clearWhen: string, namespace = 'default'): object {
  return { object: { version: 'v1', resource: 'configmaps', namespace, name, clearWhen } }
}

/** Each kind of hold: held with its evidence, then granted once it is clear. */
function kindsOfHolds(ground: Ground): void {
  for (const { name, hold, set, says } of KINDS) {
    test(`${name}: a node that asks is held with the evidence, and granted once the hold is clear`, async () => {
      const of = await GuardedNodes.open(ground(), name, { spec: { holds: [{ name: 'it', ...hold(ground()) }] } })
      await set(ground(), of, true)
      await of.cordon(true)
      await of.until('the node to be held', () => of.row() === 'Held HoldStands')
      assert.match(of.message(), says)
      assert.deepEqual([await of.evict(), of.condition('Held')], [429, 'True NodesHeld'])
      await set(ground(), of, false)
      await of.until('the node to be granted', () => of.row() === 'Granted NodeGranted')
      await of.drained()
      await of.back()
    })
  }
}

interface UnknownRow {
  readonly name: string
  readonly title: string
  readonly hold: (ground: GuardApiGround) => object
  readonly says: RegExp
}

const httpHold = (ground: GuardApiGround, path: string): object => ({
  http: { url: ground.targets.url(path), jsonPath: '$.status', equals: 'green', timeoutSeconds: 1 },
})

const UNKNOWN: readonly UnknownRow[] = [
  {
    name: 'missing',
    title: 'an object that is not there',
    hold: () => objectHold('nowhere', 'true'),
    says: /configmaps default\/nowhere is not there/,
  },
  {
    name: 'forbidden',
    title: 'a right that the account of holds does not have',
    hold: () => objectHold('any', 'true', 'kube-system'),
    says: /forbidden/,
  },
  {
    name: 'elsewhere',
    title: 'pods of another namespace, without a right of the account of holds,',
    hold: () => ({ pods: { namespace: 'kube-system', selector: { app: 'db' } } }),
    says: /system:serviceaccount:default:evenkeel-holds.* cannot list resource/,
  },
  {
    name: 'absent',
    title: 'a field that is absent',
    hold: () => objectHold('absent', "object.data.state == 'green'"),
    says: /object\.data\.state is absent/,
  },
  {
    name: 'hangs',
    title: 'a program that does not answer in time',
    hold: (ground) => httpHold(ground, '/hangs'),
    says: /has no whole answer within 1000 ms/,
  },
  {
    name: 'fails',
    title: 'a program that answers 500',
    hold: (ground) => httpHold(ground, '/fails'),
    says: /answered 500/,
  },
  {
    name: 'huge',
    title: 'a program that answers with 100 MB',
    hold: (ground) => httpHold(ground, '/huge'),
    says: /64 KiB|65536|larger/,
  },
]

/** What cannot be read holds its node, and says why. */
function unknownHolds(ground: Ground): void {
  for (const { name, title, hold, says } of UNKNOWN) {
    test(`${title} holds the node, with the cause`, async () => {
      if (name === 'absent') await ground().mustAsk('POST', MAPS, { metadata: { name }, data: { other: 'x' } })
      if (name === 'hangs' || name === 'fails' || name === 'huge') ground().targets.set(`/${name}`, name)
      const of = await GuardedNodes.open(ground(), name, { spec: { holds: [{ name: 'it', ...hold(ground()) }] } })
      await of.cordon(true)
      await of.until('why it is not known', () => of.row() === 'Held HoldUnknown' && says.test(of.message()))
      assert.deepEqual([await of.evict(), of.condition('Held')], [429, 'True NodesHeld'])
      if (name === 'huge') assert.ok(ground().targets.sentOf('/huge') < 20_000_000, 'most of it is never taken')
    })
  }
}

const UNUSABLE: readonly (readonly [name: string, title: string, hold: object, field: RegExp])[] = [
  [
    'no-cel',
    'an expression that cannot be used',
    objectHold('x', 'object.data.('),
    /^spec\.holds\[0\]\.object\.clearWhen: /,
  ],
  ['no-url', 'a URL that cannot be used', { http: { url: 'ftp://example.com/' } }, /^spec\.holds\[0\]\.http\.url: /],
  [
    'no-metadata',
    'a URL of an address that gives credentials',
    { http: { url: 'http://169.254.169.254/latest' } },
    /^spec\.holds\[0\]\.http\.url: .*metadata/,
  ],
  [
    'no-path',
    'a path that cannot be used',
    { http: { url: 'http://example.com/', jsonPath: '$..[', equals: 'x' } },
    /^spec\.holds\[0\]\.http\.jsonPath: /,
  ],
]

function refusedGuards(ground: Ground): void {
  for (const [name, title, hold, field] of UNUSABLE) {
    test(`${title} refuses the NodeGuard, with the field`, async () => {
      await ground().mustAsk('POST', GUARDS, guardObject({ group: name, holds: [{ name: 'it', ...hold }] }, name))
      const guard = () =>
        ground()
          .view.now('guards')
          .find(({ metadata }) => metadata.name === name)
      await ground().until(`${name} to be refused`, () => {
        const found = guard()
        return found !== undefined && conditionOf(found, 'Stalled') === 'True GuardRefused'
      })
      const conditions = guard()?.status?.conditions as readonly { readonly type: string; readonly message: string }[]
      assert.match(conditions.find(({ type }) => type === 'Stalled')?.message ?? '', field)
    })
  }

  for (const { rule, object, field } of GUARD_FAULTS) {
    test(`the API server refuses a NodeGuard by the rule ${rule} of the CustomResourceDefinition: ${JSON.stringify(object.spec).slice(0, 60)}`, async () => {
      const { status, body } = await ground().api('POST', `${GUARDS}?dryRun=All`, object)
      const { causes } = (body as { details: { causes: readonly { readonly field: string }[] } }).details
      assert.equal(status, 422)
      assert.ok(
        causes.some((cause) => field.startsWith(cause.field)),
        JSON.stringify(causes),
      )
    })
  }

  test('a NodeGuard that makes sense is taken as it is written', async () => {
    const object = guardObject({ holds: [{ name: 'volumes', volumes: {} }], maxHold: { seconds: 60 } }, 'of-sense')
    assert.equal((await ground().api('POST', `${GUARDS}?dryRun=All&fieldValidation=Strict`, object)).status, 201)
  })
}

type Ground = () => GuardApiGround

const RELEASES = 'evenkeel.dev/guard-releases'
const HOLDS = 'evenkeel.dev/guard-holds'
const BUSY = { holds: [{ name: 'busy', annotation: { key: 'example.com/busy' } }] }

/** A node that is held by its annotation. */
async function heldNode(ground: GuardApiGround, name: string, spec: object = {}): Promise<GuardedNodes> {
  const of = await GuardedNodes.open(ground, name, { spec: { ...BUSY, ...spec } })
  await ground.patchNode(of.node, { metadata: { annotations: { 'example.com/busy': '' } } })
  await of.cordon(true)
  await of.until('the node to be held', () => of.row() === 'Held HoldStands')
  return of
}

const entry = (node: string, untilMs: number) =>
  JSON.stringify([{ node, by: 'alice', until: new Date(Date.now() + untilMs).toISOString(), why: 'disk is dead' }])

function holdsByHand(ground: Ground): void {
  test('a release by hand grants a held node, and is recorded with the person, the reason and what held it', async () => {
    const of = await heldNode(ground(), 'release')
    await of.annotate({ [RELEASES]: entry(of.node, -1_000) })
    await of.annotate({ [RELEASES]: entry('another', 600_000) })
    assert.deepEqual([of.row(), await of.evict()], ['Held HoldStands', 429])
    await of.annotate({ [RELEASES]: entry(of.node, 600_000) })
    await of.until('the node to be granted', () => of.row() === 'Granted NodeGranted')
    const [{ at: _, ...released } = {}] = of.released()
    assert.deepEqual(released, {
      ...{ node: of.node, by: 'alice', why: 'disk is dead' },
      passedOver: `${of.node} is held by busy: the Node has the annotation example.com/busy`,
    })
    await of.untilEvent(/^Warning GrantReleased: release-1 was granted although it is held, released by alice/)
    await of.drained()
  })

  test('a release that is over ends the grant that it gave', async () => {
    const of = await heldNode(ground(), 'over')
    await of.annotate({ [RELEASES]: entry(of.node, 600_000) })
    await of.until('the node to be granted', () => of.row() === 'Granted NodeGranted')
    await of.annotate({ [RELEASES]: entry(of.node, 1_000) })
    await of.until('the node to be held again', () => of.row() === 'Held HoldStands')
    await of.until('its budget to be closed', () => !of.isOpen())
    assert.equal(await of.evict(), 429)
  })

  test('a release that cannot be read releases nothing, and is reported', async () => {
    const of = await heldNode(ground(), 'unread')
    await of.annotate({ [RELEASES]: JSON.stringify([{ node: of.node, by: 'alice' }]) })
    await of.untilEvent(/^Warning ReleasesUnreadable: .*the entry of unread-1 has no end/)
    assert.deepEqual([of.row(), await of.evict()], ['Held HoldStands', 429])
  })

  test('a hold by hand keeps a node that nothing else holds, with the person and the reason, until it is removed', async () => {
    const of = await GuardedNodes.open(ground(), 'by-hand', { spec: BUSY })
    await of.annotate({ [HOLDS]: JSON.stringify([{ node: of.node, by: 'bob', why: 'rebalancing' }]) })
    await of.cordon(true)
    await of.until('the node to be held', () => of.row() === 'Held HeldByHand')
    assert.deepEqual([of.message(), await of.evict()], [`${of.node} is held by bob: rebalancing`, 429])
    await of.annotate({ [HOLDS]: null })
    await of.drained()
  })

  test('a list of holds by hand that cannot be read holds every node', async () => {
    const of = await GuardedNodes.open(ground(), 'hand-unread', { spec: BUSY })
    await of.annotate({ [HOLDS]: '{' })
    await of.cordon(true)
    await of.until('the node to be held', () => of.row() === 'Held HeldByHand')
    assert.equal(await of.evict(), 429)
  })

  test('a budget of another program over a guard is a conflict that names it, until it goes', async () => {
    const of = await GuardedNodes.open(ground(), 'foreign', { spec: BUSY })
    const gates = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
    const matchLabels = { 'evenkeel.dev/guard': of.name }
    const spec = { maxUnavailable: 1, selector: { matchLabels } }
    await ground().mustAsk('POST', gates, { metadata: { name: 'of-others' }, spec })
    await of.cordon(true)
    await of.until(
      'a conflict',
      () => of.row() === 'Conflict ForeignBudget' && of.condition('Conflict') === 'True Conflict',
    )
    assert.match(of.messageOf('Conflict'), /PodDisruptionBudget of-others selects the guard of foreign-1 as well/)
    await ground().mustAsk('DELETE', `${gates}/of-others`)
    await of.drained()
  })

  atNight(
    'maxHold Wait: a node that is held for longer stays held, and an Event and a condition say so',
    {},
    async () => {
      const of = await heldNode(ground(), 'too-long', { maxHold: { seconds: 60 } })
      await of.until('it to be too long', () => of.condition('Held') === 'True HeldTooLong')
      await of.untilEvent(
        /^Warning HeldTooLong: too-long-1 has been held for longer than maxHold allows, which is 60 s/,
      )
      assert.deepEqual([of.row(), await of.evict()], ['Held HoldStands', 429])
    },
  )

  atNight('maxHold Release: a node that is held for longer is granted, which is recorded and told', {}, async () => {
    const of = await heldNode(ground(), 'max-hold', { maxHold: { seconds: 60, policy: 'Release' } })
    await of.until('the node to be granted', () => of.row() === 'Granted NodeGranted')
    const [{ at: _, ...released } = {}] = of.released()
    assert.deepEqual(released, {
      ...{ node: of.node, by: 'maxHold' },
      passedOver: `${of.node} is held by busy: the Node has the annotation example.com/busy`,
    })
    await of.untilEvent(/^Warning GrantReleased: max-hold-1 was granted although it is held, released by maxHold/)
    await of.drained()
  })
}

/** A right that an administrator gives for a hold, as docs/guard-holds.md shows. */
const RIGHT = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'evenkeel-hold-state', namespace: 'default' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'evenkeel-hold-state', namespace: 'default' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'evenkeel-hold-state' },
    subjects: [{ kind: 'ServiceAccount', name: 'evenkeel-holds', namespace: 'default' }],
  },
]

/** Every hold of a NodeGuard, what persons write by hand, and what is refused. All of them at once. */
describe('NodeGuards on a real API server', { ...requires('testbed', 'helm'), concurrency: true }, () => {
  let opened: GuardApiGround | undefined
  const ground = (): GuardApiGround => {
    assert.ok(opened)
    return opened
  }

  before(async () => {
    // Room for every node here at once.
    opened = await GuardApiGround.open('40')
    await opened.bed.apply(RIGHT)
  })
  after(async () => {
    if (opened === undefined) return
    const lines = readFileSync(opened.bed.auditLog, 'utf8').split('\n')
    const failures = opened.failures()
    await opened.close()
    const asked = lines.filter((line) => line !== '')
    const refused = new Set(refusedRequests(asked, CONTROLLER_USER))
    assert.deepEqual(
      [failures, [...refused].toSorted()],
      [[], ['get configmaps', 'list pods']],
      'the rights of the chart are enough but for two holds',
    )
  })

  kindsOfHolds(ground)
  unknownHolds(ground)
  refusedGuards(ground)
  holdsByHand(ground)
})
