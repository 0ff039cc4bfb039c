import { mergePatch } from '../../../src/sim/world/merge-patch.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { drawChange } from './changes.ts'
import { Draw, FLAWS, FLAWS_OF, MAKERS, NAMELESS } from './objects.ts'
import { collectionPath, KINDS, type KindName, listPath, WORLD_LABEL, withQuery } from './paths.ts'
import type { Sequence, Step } from './step.ts'

/** The kinds by how often they are drawn. */
const OFTEN: readonly KindName[] = [
  'ConfigMap',
  'ConfigMap',
  'Lease',
  'Lease',
  'NodeGuard',
  'NodeGuard',
  'IngressDaemonSet',
  'Deployment',
  'Deployment',
  'Deployment',
  'ReplicaSet',
  'ReplicaSet',
  'StatefulSet',
  'StatefulSet',
  'DaemonSet',
  'DaemonSet',
  'Job',
  'Job',
  'Pod',
  'Pod',
  'PodDisruptionBudget',
  'PodDisruptionBudget',
  'Node',
  'Event',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'ResourceQuota',
  'Service',
  'PriorityClass',
  'Namespace',
]

const WITH_PODS: readonly KindName[] = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'Pod']
const SHARED: readonly (readonly KindName[])[] = [
  ['PersistentVolume', 'PersistentVolumeClaim'],
  ['PodDisruptionBudget', 'ResourceQuota', ...WITH_PODS],
]
const SCALED: readonly KindName[] = ['Deployment', 'ReplicaSet', 'StatefulSet']

const LISTS = [
  'fieldSelector=metadata.name%3Dx',
  'fieldSelector=spec.none%3Dx',
  'resourceVersion=0',
  'resourceVersion=99999999',
  'limit=x',
]

/** Controllers, the collector and the scheduler would be met half-way, on each plane elsewhere. */
const SETTLED: readonly Step[] = [{ do: 'wait' }]

interface Made {
  readonly kind: KindName
  readonly name: string
  readonly path: string
  /** That of its pods, or of those that it is for. */
  readonly app: string
  /** The collector takes it away where its owner was never made. */
  readonly isOwned: boolean
}

/** A sequence of requests by its seed. It is the same wherever it is drawn. */
export function drawSequence(seed: number): Sequence {
  const name = `d${seed}`
  return { seed, name, steps: new Drawing(new Draw(new SeededRandom(seed)), name).steps() }
}

class Drawing {
  readonly #draw: Draw
  readonly #world: string
  readonly #made: Made[] = []
  /** Paths of what may not be there: it was refused, or deleted. */
  readonly #doubtful = new Set<string>()
  #count = 0

  constructor(draw: Draw, world: string) {
    this.#draw = draw
    this.#world = world
  }

  steps(): readonly Step[] {
    const steps: Step[] = []
    // Few kinds at a time, so that what one request begins is met by the next.
    const kinds = [this.#draw.one(OFTEN), this.#draw.one(OFTEN), this.#draw.one(WITH_PODS)]
    const length = 5 + this.#draw.below(10)
    while (steps.length < length) steps.push(...this.#next(kinds))
    return [...steps, { do: 'wait' }]
  }

  #next(kinds: readonly KindName[]): readonly Step[] {
    const draw = this.#draw
    if (this.#made.length === 0 || (this.#made.length < 5 && draw.chance(0.3))) return this.#make(draw.one(kinds))
    const of = draw.one(this.#made)
    const way = draw.below(20)
    const before: readonly Step[] = WITH_PODS.includes(of.kind) || of.isOwned ? SETTLED : []
    if (way < 8) return [...before, drawChange(draw, of.kind, of.path)]
    if (way < 10) return [...before, this.#delete(of), { do: 'wait' }]
    if (way < 12) return [...before, WITH_PODS.includes(of.kind) ? this.#evict(of) : this.#delete(of), { do: 'wait' }]
    if (way < 13) return [...before, this.#scale(of)]
    // The controllers of the real one tell Events, and make a ConfigMap in each namespace.
    if (way < 14 && of.kind !== 'ConfigMap' && of.kind !== 'Event' && KINDS[of.kind].namespaced)
      return [...SETTLED, { do: 'pages', path: listPath(of.kind, this.#world), limit: 1 + draw.below(3) }]
    if (way < 15) return [...SETTLED, this.#watch(of)]
    if (way < 16) return [...before, this.#read(of)]
    return SETTLED
  }

  /** What two have to share, as pods, ports of nodes and volumes, the first takes: both may not come at once. */
  #make(kind: KindName): readonly Step[] {
    const before = this.#made.map((made) => made.kind)
    const isMet = SHARED.some((kinds) => kinds.includes(kind) && before.some((other) => kinds.includes(other)))
    return [...(isMet ? SETTLED : []), this.#create(kind)]
  }

  #create(kind: KindName): Step {
    const draw = this.#draw
    this.#count += 1
    const short = `${kind.toLowerCase().slice(0, 6)}${this.#count}`
    const isWhole = !KINDS[kind].namespaced
    const name = isWhole ? `${this.#world}-${short}` : short
    const app = this.#appOf(kind) ?? name
    const own = MAKERS[kind](draw, { world: this.#world, name: app })
    const isHeld = draw.chance(0.15)
    const metadata = {
      name,
      ...(isHeld ? { finalizers: ['test.local/held'] } : {}),
      labels: { ...(isWhole ? { [WORLD_LABEL]: this.#world } : {}), ...(draw.chance(0.3) ? { l: 'drawn' } : {}) },
    }
    const owner = draw.chance(0.15)
      ? this.#made.findLast((made) => made.kind !== 'Node' && made.kind !== kind)
      : undefined
    const owned =
      // What is held, or its owner gone, would be collected half-way, with its pods.
      owner === undefined || (WITH_PODS.includes(kind) && (isHeld || owner.isOwned || this.#doubtful.has(owner.path)))
        ? {}
        : {
            ownerReferences: [
              {
                uid: `{uid ${owner.path}}`,
                name: owner.name,
                ...TYPE_OF(owner.kind),
                ...(draw.chance(0.5) ? { blockOwnerDeletion: true } : {}),
              },
            ],
          }
    const whole = mergePatch({ ...TYPE_OF(kind), metadata: { ...metadata, ...owned } }, own)
    const flaws = draw.chance(0.6) ? (FLAWS_OF[kind] ?? FLAWS) : FLAWS
    const flawed = flaws.filter((flaw) => flaw !== NAMELESS || (kind !== 'Service' && kind !== 'Event'))
    const body = draw.chance(0.2) ? mergePatch(whole, draw.one(flawed)) : whole
    const path = collectionPath(kind, this.#world)
    if (body !== whole) this.#doubtful.add(`${path}/${name}`)
    this.#made.push({ kind, name, path: `${path}/${name}`, app, isOwned: 'ownerReferences' in owned })
    const isTried = draw.chance(0.05)
    if (isTried) this.#doubtful.add(`${path}/${name}`)
    return { do: 'ask', method: 'POST', path: `${path}${isTried ? '?dryRun=All' : ''}`, body }
  }

  /** A Service is for the pods of what was made before it, and so is a budget. Of two over one pod, chance counts one anew. */
  #appOf(kind: KindName): string | undefined {
    const isBudget = kind === 'PodDisruptionBudget'
    if (kind !== 'Service' && !isBudget) return undefined
    const guarded = this.#made.filter((made) => isBudget && made.kind === kind).map(({ app }) => app)
    return this.#made.findLast((made) => WITH_PODS.includes(made.kind) && !guarded.includes(made.app))?.app ?? 'none'
  }

  #delete({ path }: Made): Step {
    const draw = this.#draw
    this.#doubtful.add(path)
    const options = draw.one([
      undefined,
      undefined,
      { propagationPolicy: 'Foreground' },
      { propagationPolicy: 'Foreground' },
      { propagationPolicy: 'Orphan' },
      { propagationPolicy: 'Background' },
      { propagationPolicy: 'Sideways' },
      { orphanDependents: true },
      { gracePeriodSeconds: 0 },
      { gracePeriodSeconds: -1 },
      { preconditions: { uid: 'another' } },
      { preconditions: { resourceVersion: '1' } },
      { dryRun: ['All'] },
    ])
    const body = options === undefined ? {} : { body: { kind: 'DeleteOptions', apiVersion: 'v1', ...options } }
    return { do: 'ask', method: 'DELETE', path, ...body }
  }

  #evict({ kind, name, app, path: whole }: Made): Step {
    if (kind === 'Pod') this.#doubtful.add(whole)
    const pod = kind === 'Pod' ? name : `{pods app=${app} ${this.#draw.below(2)}}`
    const path = `${collectionPath('Pod', this.#world)}/${pod}`
    if (this.#draw.chance(0.3)) return { do: 'ask', method: 'DELETE', path }
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace: this.#world } }
    return { do: 'ask', method: 'POST', path: `${path}/eviction`, body }
  }

  #scale({ kind, path }: Made): Step {
    if (!SCALED.includes(kind)) return { do: 'ask', method: 'GET', path: `${path}/scale` }
    const body = { spec: { replicas: this.#draw.one([0, 1, 2, -1]) } }
    return { do: 'ask', method: 'PATCH', path: `${path}/scale`, body, contentType: 'application/merge-patch+json' }
  }

  #watch({ kind }: Made): Step {
    return {
      do: 'watch',
      path: listPath(kind, this.#world),
      from: this.#draw.one(['all', 'now', 'now'] as const),
    }
  }

  #read({ kind, path }: Made): Step {
    const all = listPath(kind, this.#world)
    const asked = this.#draw.one([path, `${path}/status`, ...LISTS.map((query) => withQuery(all, query))])
    return { do: 'ask', method: 'GET', path: asked }
  }
}

const TYPES: Partial<Readonly<Record<KindName, string>>> = {
  PriorityClass: 'scheduling.k8s.io/v1',
  Lease: 'coordination.k8s.io/v1',
  Deployment: 'apps/v1',
  ReplicaSet: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  Job: 'batch/v1',
  PodDisruptionBudget: 'policy/v1',
  NodeGuard: 'evenkeel.dev/v1alpha1',
  IngressDaemonSet: 'evenkeel.dev/v1alpha1',
}

const TYPE_OF = (kind: KindName): { readonly apiVersion: string; readonly kind: string } => ({
  apiVersion: TYPES[kind] ?? 'v1',
  kind,
})
