import { mergePatch } from '../../../src/sim/world/merge-patch.ts'
import type { OpenWatch } from '../../contract/api/api-door.ts'
import { field } from '../../contract/api/field.ts'
import type { ControlPlane } from '../../contract/control/control-plane.ts'
import { acceptedAs } from './accepted.ts'
import { differencesOf } from './compare.ts'
import { kubeletPass, makeGround } from './kubelet.ts'
import { collectionPath, type KindName, withQuery } from './paths.ts'
import type { Seen } from './seen.ts'
import { isDrawn, kindsOf, normalOf, takeSnapshot } from './snapshot.ts'
import type { Sequence, Step } from './step.ts'

/** Longer than a Job waits after its first failure. */
const QUIET_MS = 12_000
const LOOK_MS = 250
const VIRTUAL_LIMIT_MS = 60_000
const REAL_LIMIT_MS = 30_000
/** A controller may write between a read and the write after it. */
const EDITS_MAX = 5

/**
 * Plays a sequence on one plane. `expected` is what the other plane showed: this plane is given time to come to it. Without
 * `expected`, a wait lasts until nothing changes, so the plane is one in virtual time. The first difference ends the sequence: what
 * follows from it says nothing new.
 */
export async function play(
  plane: ControlPlane,
  sequence: Sequence,
  expected?: readonly Seen[],
): Promise<readonly Seen[]> {
  await makeGround(plane, sequence.name)
  const player = new Player(plane, sequence)
  const seen: Seen[] = []
  for (const [index, step] of sequence.steps.entries()) {
    const wanted = expected?.[index]
    const now = await player.take(step, wanted)
    seen.push(now)
    if (wanted !== undefined && !isAlike(wanted, now)) {
      player.endWatches()
      return seen
    }
  }
  return [...seen, ...player.endWatches()]
}

class Player {
  readonly #plane: ControlPlane
  readonly #world: string
  readonly #kinds: readonly KindName[]
  readonly #watches: { readonly path: string; readonly watch: OpenWatch }[] = []

  constructor(plane: ControlPlane, sequence: Sequence) {
    this.#plane = plane
    this.#world = sequence.name
    this.#kinds = kindsOf(sequence)
  }

  async take(step: Step, expected: Seen | undefined): Promise<Seen> {
    switch (step.do) {
      case 'ask':
        return await this.#ask(step)
      case 'edit':
        return await this.#edit(step)
      case 'pages':
        return { kind: 'pages', pages: await this.#pages(step.path, step.limit) }
      case 'watch':
        return await this.#watch(step)
      case 'wait':
        return expected === undefined ? await this.#settle() : await this.#converge(expected)
    }
  }

  endWatches(): readonly Seen[] {
    return this.#watches.map(({ path, watch }) => {
      watch.close()
      return {
        kind: 'events',
        path,
        events: watch.events
          .filter(({ object }) => isDrawn(String(field(object, 'kind')), object))
          .map(({ type, object }) => ({
            uid: String(field(object, 'metadata.uid')),
            name: normalOf('', object).id.trim(),
            text: eventText(type, object),
          })),
      }
    })
  }

  async #ask({ method, path, body, contentType }: Extract<Step, { do: 'ask' }>): Promise<Seen> {
    const target = await this.#filled(path)
    const said = body === undefined ? undefined : (JSON.parse(await this.#filled(JSON.stringify(body))) as unknown)
    return await this.#answer(method, target, { body: said, contentType: contentType ?? 'application/json' })
  }

  async #answer(
    method: string,
    path: string,
    { body, contentType }: { readonly body: unknown; readonly contentType: string },
  ): Promise<Seen> {
    const reply = await this.#plane.door
      .ask(method, path, { ...(body === undefined ? {} : { body }), contentType })
      .catch((error: unknown) => ({ status: 599, body: { message: String(error) } }))
    const causes = (field(reply.body, 'details.causes') ?? []) as readonly {
      readonly reason?: string
      readonly field?: string
    }[]
    return {
      kind: 'answer',
      code: reply.status,
      reason: field(reply.body, 'reason'),
      causes: [...new Set(causes.map(({ reason, field: at }) => `${reason ?? ''} ${at ?? ''}`))].toSorted(),
      message: String(field(reply.body, 'message') ?? ''),
      ...(reply.status < 300 && method !== 'DELETE' && method !== 'GET'
        ? { object: answered(reply.body), of: String(field(reply.body, 'kind')) }
        : {}),
    }
  }

  async #edit(step: Extract<Step, { do: 'edit' }>): Promise<Seen> {
    for (let edits = 1; ; edits += 1) {
      const seen = await this.#editOnce(step)
      if (edits === EDITS_MAX || step.version !== 'read' || seen.kind !== 'answer' || seen.code !== 409) return seen
    }
  }

  async #editOnce({ path, merge, version }: Extract<Step, { do: 'edit' }>): Promise<Seen> {
    const read = await this.#plane.door.ask('GET', path)
    if (read.status !== 200)
      return { kind: 'answer', code: read.status, reason: field(read.body, 'reason'), causes: [], message: '' }
    const now = String(field(read.body, 'metadata.resourceVersion'))
    const wanted = { read: now, none: null, old: '1' }[version]
    const body = mergePatch(mergePatch(read.body, merge), { metadata: { resourceVersion: wanted } })
    return await this.#answer('PUT', path, { body, contentType: 'application/json' })
  }

  async #pages(path: string, limit: number): Promise<readonly (readonly string[])[]> {
    const pages: string[][] = []
    for (let token = ''; pages.length < 20; ) {
      const { body } = await this.#plane.door.ask(
        'GET',
        withQuery(path, `limit=${limit}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`),
      )
      const items = (field(body, 'items') ?? []) as readonly unknown[]
      pages.push([
        ...items.map((item) => normalOf('', item).id),
        `${String(field(body, 'metadata.remainingItemCount'))} more`,
      ])
      token = String(field(body, 'metadata.continue') ?? '')
      if (token === '') break
    }
    return pages
  }

  async #watch({ path, from }: Extract<Step, { do: 'watch' }>): Promise<Seen> {
    const { body } = await this.#plane.door.ask('GET', path)
    const version = {
      all: '',
      now: `&resourceVersion=${String(field(body, 'metadata.resourceVersion'))}`,
    }[from]
    const list = await this.#answer('GET', path, { body: undefined, contentType: 'application/json' })
    if (list.kind === 'answer' && list.code !== 200) return list
    this.#watches.push({ path, watch: await this.#plane.door.watch(withQuery(path, `watch=true${version}`)) })
    return { kind: 'nothing' }
  }

  /** Until nothing has changed for some seconds of virtual time. The longer nothing changes, the less often it looks. */
  async #settle(): Promise<Seen> {
    const beganMs = this.#plane.nowMs()
    let last = ''
    let quietSinceMs = beganMs
    for (;;) {
      const snapshot = await takeSnapshot(this.#plane, this.#world, this.#kinds)
      const now = JSON.stringify(snapshot.objects)
      if (now !== last) quietSinceMs = this.#plane.nowMs()
      last = now
      const hasWritten = await kubeletPass(this.#plane, this.#world, snapshot.pods)
      const isQuiet = !hasWritten && this.#plane.nowMs() - quietSinceMs >= QUIET_MS
      if (isQuiet || this.#plane.nowMs() - beganMs > VIRTUAL_LIMIT_MS)
        return { kind: 'there', snapshot, tookMs: quietSinceMs - beganMs }
      await this.#plane.pass(Math.max(LOOK_MS, this.#plane.nowMs() - quietSinceMs))
    }
  }

  /** Until it is as on the other plane, or the time is over. */
  async #converge(expected: Seen): Promise<Seen> {
    const beganMs = this.#plane.nowMs()
    let pauseMs = 60
    for (;;) {
      const snapshot = await takeSnapshot(this.#plane, this.#world, this.#kinds)
      const hasWritten = await kubeletPass(this.#plane, this.#world, snapshot.pods)
      const tookMs = this.#plane.nowMs() - beganMs
      const there: Seen = { kind: 'there', snapshot, tookMs }
      if (!hasWritten && isAlike(expected, there)) return there
      if (tookMs > REAL_LIMIT_MS) return there
      await this.#plane.pass(pauseMs)
      pauseMs = Math.min(500, pauseMs * 1.4)
    }
  }

  /** Puts in what only this plane knows. */
  async #filled(text: string): Promise<string> {
    let result = text
    for (const [whole, selector = '', nth = '0'] of text.matchAll(/\{pods ([^\s}]+) (\d+)\}/g)) {
      const path = `${collectionPath('Pod', this.#world)}?labelSelector=${encodeURIComponent(selector)}`
      const { body } = await this.#plane.door.ask('GET', path)
      const pods = ((field(body, 'items') ?? []) as readonly unknown[]).toSorted((a, b) =>
        podText(a) < podText(b) ? -1 : 1,
      )
      result = result.replaceAll(whole, String(field(pods[Number(nth)], 'metadata.name') ?? 'nobody'))
    }
    for (const [whole, path = ''] of text.matchAll(/\{uid ([^\s}]+)\}/g)) {
      const { body } = await this.#plane.door.ask('GET', path)
      result = result.replaceAll(whole, String(field(body, 'metadata.uid') ?? '00000000-0000-4000-8000-000000000000'))
    }
    return result
  }
}

const isAlike = (expected: Seen, seen: Seen): boolean =>
  differencesOf(expected, seen).every((difference) => acceptedAs(difference) !== undefined)

const CONTROLLED =
  /^(Deployment|ReplicaSet|StatefulSet|DaemonSet|Job|Pod|PodDisruptionBudget|PersistentVolume|PersistentVolumeClaim|Node|Scale)$/

/** A controller may have written a status by then, or taken the first taint of a node away, or not. */
function answered(body: unknown): unknown {
  const { status, ...rest } = body as Readonly<Record<string, unknown>>
  const spec = rest.spec as Readonly<Record<string, unknown>> | undefined
  const taints = (spec?.taints ?? []) as readonly { readonly key: string }[]
  const own = taints.filter(({ key }) => !key.startsWith('node.kubernetes.io/'))
  const said = rest.kind === 'Node' ? { ...rest, spec: { ...spec, taints: own } } : rest
  return normalOf('', CONTROLLED.test(String(said.kind)) ? said : { ...said, status }).object
}

const podText = (pod: unknown): string => JSON.stringify(normalOf('Pod', pod).object)

function eventText(type: string, object: unknown): string {
  if (type === 'ERROR') return `ERROR ${String(field(object, 'code'))} ${String(field(object, 'reason'))}`
  const isGoing = field(object, 'metadata.deletionTimestamp') !== undefined
  return `${type}${isGoing ? ' going' : ''}`
}
