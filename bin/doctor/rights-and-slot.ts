import type { DoctorSnapshot } from '../../src/explain/decide/doctor/doctor-snapshot.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { SLOT_STALE_MS, SLOTS_NAMESPACE } from '../../src/ground/model/slot.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import {
  announceAccess,
  budgetAccess,
  deleteAccess,
  eventAccess,
  kuredAccess,
  planAccess,
  politeAccess,
  spareAccess,
  wantedAccess,
} from '../../src/roll/decide/plan/wanted-access.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import { trySlot } from '../../src/roll/run/prepare.ts'
import { SlotsReader } from '../../src/service/run/slots-reader.ts'
import { attempt } from './attempt.ts'

/** The rights of a roll (of any roll, if there is no file), and whether the API would take a slot's Lease. */
export async function rightsAndSlot(
  cluster: Cluster,
  spec: RollSpec | undefined,
  signal: AbortSignal,
): Promise<Pick<DoctorSnapshot, 'rights' | 'slot' | 'slots'>> {
  const slots = spec?.slots ?? { namespace: SLOTS_NAMESPACE }
  const needed = [
    ...wantedAccess(slots.namespace),
    ...(spec === undefined ? [] : [...politeAccess(spec.drain), ...deleteAccess(spec.drain), ...kuredAccess(spec)]),
  ]
  const announces = spec === undefined ? [] : announceAccess(spec)
  const useful = [...budgetAccess(slots), ...planAccess, ...spareAccess(spec?.dns), ...eventAccess, ...announces]
  const rights = await attempt(signal, async (limited) => {
    const [forbidden, spared] = await Promise.all([
      cluster.forbidden(needed, limited),
      cluster.forbidden(useful, limited),
    ])
    return { wanted: needed.length + useful.length, forbidden, spared }
  })
  if (rights.is === 'failed') return { rights }
  const { namespace } = slots
  const { forbidden } = rights.value
  const mayWrite = !forbidden.some((one) => one.resource === 'leases' && one.namespace === namespace)
  if (!mayWrite) return { rights }
  const reader = new SlotsReader({ cluster, clock, namespace, durationMs: SLOT_STALE_MS })
  const [slot, held] = await Promise.all([
    attempt(signal, (limited) => trySlot({ cluster, namespace }, forbidden, limited)),
    attempt(signal, (limited) => reader.read(1, limited)),
  ])
  return { rights, slot, slots: held }
}
