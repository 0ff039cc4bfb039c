import type { EngineRequest } from '../engine-request.ts'
import type { Checker } from './checker.ts'
import { POD } from './evictions-only.ts'
import { isMarkTaint, type NodeWord, wordAt } from './node-word.ts'
import type { Scene } from './scene.ts'
import { serverKey } from './server-word.ts'

const NAME = 'journal-first'
const EVICTION = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/eviction$/
const NODE = /^\/api\/v1\/nodes\/([^/]+)$/
const INTENT = '/metadata/annotations/evenkeel.dev~1intent'

const TOLD_BY_NODE: ReadonlySet<string> = new Set<NodeWord>(['askAgent', 'askDetacher', 'setNodeMark'])
/** What a roll calls the backend of a balancer that commands move. In the worlds it is `web`, of an instance of the balancer's name. */
const NO_BACKEND = 'nodes'

interface Meant {
  readonly kind: string
  readonly node: string
  readonly name?: string
  readonly ref?: { readonly instance: string; readonly backend: string; readonly server: string }
}

/**
 * Nothing is taken from service that the run's journal did not name before, on disk: no cordon, no server, no pod, no
 * machine. What was named once may be done again by a later process.
 */
export function journalFirst(scene: Scene): Checker {
  const named = new Map<string, Set<string>>()
  return {
    onJournaled: ({ run, entry }) => {
      if (entry.type !== 'meant') return
      const known = named.get(run) ?? new Set()
      named.set(run, known)
      for (const action of entry.actions as readonly Meant[]) known.add(wordOf(action))
    },
    onAsked: ({ run, request }) => {
      for (const effect of disruptions(scene, request))
        if (named.get(run)?.has(effect) !== true) scene.tell(NAME, `${effect} of ${run} is in no synced entry`)
    },
  }
}

function wordOf({ kind, node, name, ref }: Meant): string {
  if (kind === 'deletePod') return `evict ${name}`
  if (kind === 'evict' || kind === 'releasePod' || kind === 'withdrawPod') return `${kind} ${name}`
  if (ref === undefined || TOLD_BY_NODE.has(kind)) return `${kind} ${node}`
  const backend = ref.backend === NO_BACKEND ? 'web' : ref.backend
  return `${kind} ${serverKey(ref.instance, `${backend}/${ref.server}`)}`
}

/** What a request takes from service, by the words of the journal. */
function disruptions(scene: Scene, request: EngineRequest): readonly string[] {
  switch (request.kind) {
    case 'reboot':
      return [`sendReboot ${request.node}`]
    case 'balancer': {
      const serving = new Set(scene.servers().flatMap(({ key, admin }) => (admin === 'ready' ? [key] : [])))
      const taken = scene.words(request).filter(({ key, to }) => to !== 'ready' && serving.has(key))
      // A server that was out before, or that people took out, is put back to that state, not taken from service.
      const isOurs = (key: string): boolean => scene.prior.servers.get(key) === 'ready' && !scene.handStates.has(key)
      return taken.flatMap(({ key }) => (isOurs(key) ? [`setServer ${key}`] : []))
    }
    case 'api': {
      const { method, path, body } = request.request
      const [, , pod] = method === 'POST' ? (EVICTION.exec(path) ?? []) : []
      if (pod !== undefined) return [`evict ${pod}`]
      const [, labelled] = method === 'PATCH' ? (POD.exec(path) ?? []) : []
      if (labelled !== undefined) return labelWords(labelled, body as PodPatch)
      const [, node] = method === 'PATCH' ? (NODE.exec(path) ?? []) : []
      return node === undefined ? [] : patchWords(node, body as readonly JsonPatchOp[])
    }
  }
}

interface PodPatch {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string | null>> }
}

/** Whatever takes the mark off gives the labels back. */
function labelWords(pod: string, { metadata: { annotations = {} } }: PodPatch): readonly string[] {
  const [mark] = Object.values(annotations)
  if (mark === undefined) return [`withdrawPod ${pod}`]
  return mark === null ? [] : [`releasePod ${pod}`]
}

interface JsonPatchOp {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

const patchWords = (node: string, ops: readonly JsonPatchOp[]): readonly string[] =>
  ops.flatMap(({ op, path, value }) => {
    if (op === 'test' || op === 'remove') return []
    if (path === '/spec/unschedulable' && value === true) return [`cordon ${node}`]
    const word = isMarkTaint({ path, value }) ? 'setNodeMark' : wordAt(path)
    if (word !== undefined) return [`${word} ${node}`]
    return path === INTENT ? [`writeIntent ${node}`] : []
  })
