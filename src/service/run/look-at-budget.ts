import type { ConfigMap } from '../../ground/model/config-map.ts'
import { present } from '../../ground/model/present.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { type SeenSlot, SLOT_STALE_MS } from '../../ground/model/slot.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { ConfigMaps } from '../../ground/ports/config-maps.ts'
import { budgetLimit } from '../decide/budget/budget-limit.ts'
import { type BudgetStatus, budgetStatus } from '../decide/budget/budget-status.ts'
import { maxOut } from '../decide/budget/max-out.ts'
import type { CordonsThatCount } from '../decide/budget/snapshot.ts'
import { BUDGET_CONFIG_MAP, ONE_OUT } from '../model/budget-object.ts'
import { GRANTS_CONFIG_MAP, GRANTS_KEY, parseGrants } from '../model/cordon-grants.ts'
import { SlotsReader } from './slots-reader.ts'

export interface BudgetPlace {
  /** Of the slots and of the budget object. */
  readonly namespace: string
  /** Of the grants of the brake. */
  readonly grantsNamespace: string
  /** So long the slots are looked at: a holder that renews within it lives. 0: once. */
  readonly watchMs: number
}

interface LookParts {
  readonly cluster: Pick<Cluster, 'list' | 'readLease'>
  readonly configMaps: Pick<ConfigMaps, 'read'>
  readonly clock: Clock
}

/** Who is out and who holds the slots, as of now. Rejects with UserError where maxOut makes no sense, and with WorldError. */
export async function lookAtBudget(
  { cluster, configMaps, clock }: LookParts,
  { namespace, grantsNamespace, watchMs }: BudgetPlace,
  signal: AbortSignal,
): Promise<BudgetStatus> {
  const budgetRef = { namespace, name: BUDGET_CONFIG_MAP }
  const grantsRef = { namespace: grantsNamespace, name: GRANTS_CONFIG_MAP }
  const [nodes, budget, grants] = await Promise.all([
    cluster.list('nodes', signal),
    ifAllowed(configMaps.read(budgetRef, signal)),
    ifAllowed(configMaps.read(grantsRef, signal)),
  ])
  const parsed = budgetLimit(budget === 'forbidden' ? undefined : budget)
  if (parsed.kind === 'invalid') throw invalid(parsed.reason)
  const limit = parsed.kind === 'limit' ? parsed.limit : undefined
  const reader = new SlotsReader({ cluster, clock, namespace, durationMs: SLOT_STALE_MS })
  const count = maxOut(limit ?? ONE_OUT, nodes.length)
  const first = await reader.read(count, signal)
  if (watchMs > 0) await clock.sleep(watchMs, signal)
  const slots = watchMs > 0 ? await reader.read(count, signal) : first
  const unread = [...(budget === 'forbidden' ? [budgetRef] : []), ...(grants === 'forbidden' ? [grantsRef] : [])]
  const wall = clock.wallMs()
  return budgetStatus({
    namespace,
    nodes,
    unread,
    cordons: cordonsOf(grants),
    slots,
    renewed: renewed(first, slots),
    wall,
    ...present({ limit }),
  })
}

function cordonsOf(grants: ConfigMap | 'forbidden' | undefined): CordonsThatCount {
  if (grants === undefined) return 'noBrake'
  return grants === 'forbidden' ? 'unknown' : (parseGrants(grants.data[GRANTS_KEY] ?? '') ?? 'unknown')
}

/** A roll gets along without the right as well. */
async function ifAllowed(reading: Promise<ConfigMap | undefined>): Promise<ConfigMap | 'forbidden' | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof WorldError && error.code === 'KUBE_FORBIDDEN') return 'forbidden'
    throw error
  }
}

const invalid = ({ text, next }: Reason): UserError =>
  new UserError(text, { code: 'budget.max-out', ...present({ fix: next }) })

/** Which slots were renewed between two readings. */
const renewed = (first: readonly SeenSlot[], last: readonly SeenSlot[]): ReadonlySet<number> =>
  new Set(
    last
      .filter(({ index, owner, renewTime }) =>
        first.some(
          (before) => before.index === index && before.owner.holder === owner.holder && before.renewTime !== renewTime,
        ),
      )
      .map(({ index }) => index),
  )
