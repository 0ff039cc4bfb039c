import { LEASES } from '../../../../src/sim/world/api-resource.ts'
import type { Checker } from './checker.ts'
import type { Scene } from './scene.ts'

const NAME = 'only-with-slot'
const SLOT = { namespace: 'evenkeel', name: 'evenkeel-slot-0' }

interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly renewTime?: string
}

/** From the write of a Lease until what was decided under it has arrived. */
const ON_ITS_WAY_MS = 1_000

/** Nothing is done to a node, a pod, a server or a machine but by the run that holds the slot and has just renewed it. */
export function onlyWithSlot(scene: Scene): Checker {
  let renewedAtMs = 0
  let renewTime: string | undefined
  const spec = (): LeaseSpec => (scene.cluster.world.store.get(LEASES, SLOT)?.spec ?? {}) as LeaseSpec
  return {
    onChange: ({ resource, object }) => {
      if (resource !== LEASES || object.metadata.name !== SLOT.name) return
      if (spec().renewTime === renewTime) return
      renewTime = spec().renewTime
      renewedAtMs = scene.nowMs
    },
    onAsked: ({ run, request }) => {
      const what = effectOf(request)
      if (what === undefined) return
      const { holderIdentity = '', leaseDurationSeconds = 0 } = spec()
      if (!holderIdentity.startsWith(`${run}/`))
        scene.tell(NAME, `${what} by ${run}, and ${holderIdentity || 'nobody'} holds the slot`)
      else if (scene.nowMs - renewedAtMs > (leaseDurationSeconds * 2_000) / 3 + ON_ITS_WAY_MS)
        scene.tell(NAME, `${what} ${Math.round(scene.nowMs - renewedAtMs)} ms after the slot was renewed`)
    },
  }
}

/** Undefined for what changes nothing, and for the slot itself. */
function effectOf(request: Parameters<NonNullable<Checker['onAsked']>>[0]['request']): string | undefined {
  switch (request.kind) {
    case 'reboot':
      return `the reboot of ${request.node}`
    case 'balancer':
      return /^set |shutdown/.test(request.line) ? request.line : undefined
    case 'api': {
      const { method, path, query } = request.request
      const isEffect = method !== 'GET' && /nodes|pods/.test(path) && !query.has('dryRun')
      return isEffect ? `${method} ${path}` : undefined
    }
  }
}
