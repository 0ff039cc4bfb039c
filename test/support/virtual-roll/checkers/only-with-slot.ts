import { LEASES } from '../../../../src/sim/world/api-resource.ts'
import type { Checker } from './checker.ts'
import type { Scene } from './scene.ts'

const NAME = 'only-with-slot'
const MARK = 'evenkeel.dev/to-be-rolled'
export const SLOT = /^evenkeel-slot-\d+$/

interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly renewTime?: string
}

/** From the write of a Lease until what was decided under it has arrived. */
const ON_ITS_WAY_MS = 1_000

/**
 * Nothing is done to a node, a pod, a server or a machine but by the run that holds the slot and has just renewed it. Where
 * people delete the Lease, the run that had it may act until its last renewal is too old: it hears of it by the next one.
 */
export function onlyWithSlot(scene: Scene): Checker {
  /** By the name of the slot: what its Lease said last, and when it was renewed. */
  const slots = new Map<string, { readonly spec: LeaseSpec; readonly renewedAtMs: number }>()
  /** The holder of a slot when people deleted it, and until when that run may act on. */
  const deleted: { readonly holder: string; readonly untilMs: number }[] = []
  const heldUntilDeleted = (run: string, onItsWayMs: number): boolean =>
    deleted.some(({ holder, untilMs }) => isOf(run, holder) && scene.nowMs <= untilMs + onItsWayMs)
  return {
    onChange: ({ resource, type, object }) => {
      const { name } = object.metadata
      if (resource !== LEASES || !SLOT.test(name)) return
      const spec = (object.spec ?? {}) as LeaseSpec
      const before = slots.get(name)
      if (type === 'DELETED') {
        slots.delete(name)
        const { holderIdentity = '', leaseDurationSeconds = 0 } = spec
        deleted.push({
          holder: holderIdentity,
          untilMs: (before?.renewedAtMs ?? 0) + (leaseDurationSeconds * 2_000) / 3,
        })
        return
      }
      const renewedAtMs = spec.renewTime === before?.spec.renewTime ? (before?.renewedAtMs ?? 0) : scene.nowMs
      slots.set(name, { spec, renewedAtMs })
    },
    onAsked: ({ run, request }) => {
      const what = effectOf(request)
      if (what === undefined) return
      const onItsWayMs = ON_ITS_WAY_MS + (request.kind === 'balancer' ? scene.balancerLateMs : 0)
      if (heldUntilDeleted(run, onItsWayMs)) return
      const held = [...slots.values()].filter(({ spec: { holderIdentity = '' } }) => isOf(run, holderIdentity))
      const newest = held.toSorted((one, other) => other.renewedAtMs - one.renewedAtMs)[0]
      if (newest === undefined) {
        const holders = [...slots.values()].flatMap(({ spec }) => spec.holderIdentity || [])
        scene.tell(NAME, `${what} by ${run}, and ${holders.join(' and ') || 'nobody'} holds a slot`)
        return
      }
      const agoMs = scene.nowMs - newest.renewedAtMs
      if (agoMs > ((newest.spec.leaseDurationSeconds ?? 0) * 2_000) / 3 + onItsWayMs)
        scene.tell(NAME, `${what} ${Math.round(agoMs)} ms after the slot was renewed`)
    },
  }
}

/** The run's own process, or a process that restores the run without its journal. */
const isOf = (run: string, holder: string): boolean => holder.startsWith(`${run}/`) || holder.startsWith(`${run}+`)

interface JsonPatchOp {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}

/** The mark of a node to come counts for no other run, and is taken off by its own after the slot was given back as well. */
const takesMarkOff = (body: unknown): boolean =>
  Array.isArray(body) &&
  body.some(
    ({ op, path, value }: JsonPatchOp) => op === 'test' && /^\/spec\/taints\/\d+\/key$/.test(path) && value === MARK,
  ) &&
  body.every(({ op, path }: JsonPatchOp) => op === 'test' || (op === 'remove' && /^\/spec\/taints\/\d+$/.test(path)))

/** So is what a run has announced of its work: it is in the record as well. */
function withdrawsConditions(path: string, body: unknown): boolean {
  if (!/^\/api\/v1\/nodes\/[^/]+\/status$/.test(path)) return false
  const { conditions = [] } = (body as { readonly status?: { readonly conditions?: readonly object[] } }).status ?? {}
  return conditions.every((condition) => '$patch' in condition && condition.$patch === 'delete')
}

/** Undefined for what changes nothing, and for the slot itself. */
function effectOf(request: Parameters<NonNullable<Checker['onAsked']>>[0]['request']): string | undefined {
  switch (request.kind) {
    case 'reboot':
      return `the reboot of ${request.node}`
    case 'balancer':
      return /^set |shutdown/.test(request.line) ? request.line : undefined
    case 'api': {
      const { method, path, query, body } = request.request
      const isOver = takesMarkOff(body) || withdrawsConditions(path, body)
      const isEffect = method !== 'GET' && /nodes|pods/.test(path) && !query.has('dryRun') && !isOver
      return isEffect ? `${method} ${path}` : undefined
    }
  }
}
