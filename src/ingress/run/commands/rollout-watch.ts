import { FollowCache } from '../../../ground/loop/follow-cache.ts'
import { DEPLOYMENTS } from '../../../ground/loop/owned/owned-kinds.ts'
import { INGRESS_LABEL } from '../../../ground/model/ingress-keys.ts'
import type { Lease } from '../../../ground/model/lease.ts'
import type { ObjectRef } from '../../../ground/model/object-ref.ts'
import type { FoundDeployment } from '../../../ground/model/owned/found-workload.ts'
import { present } from '../../../ground/model/present.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Cluster } from '../../../ground/ports/cluster.ts'
import type { Objects } from '../../../ground/ports/objects.ts'
import { type CheckedIngress, ingressKind } from '../../decide/ingress-kind.ts'

interface WatchParts {
  readonly objects: Pick<Objects, 'follow'>
  readonly cluster: Pick<Cluster, 'readLease'>
  readonly clock: Clock
  /** By which the controller leads. */
  readonly lease: ObjectRef
}

/** One reading of a rollout. */
export interface RolloutReading {
  /** Undefined: the object is gone. */
  readonly object: CheckedIngress | undefined
  readonly deployments: readonly FoundDeployment[]
  /** Why this may be out of date, in words. */
  readonly trouble?: string
  /** Why no controller seems to act, in words. */
  readonly unled?: string
}

const LEASE_AGAIN_MS = 5_000
/** After so long without a renewal, by the clock of this process, the controller counts as gone. */
const SILENT_MS = 30_000

/** Follows an IngressDaemonSet with its Deployments, and checks whether a controller leads. */
export class RolloutWatch {
  readonly #parts: WatchParts
  readonly #key: string
  readonly #uid: string
  readonly #objects: FollowCache<CheckedIngress>
  readonly #deployments: FollowCache<FoundDeployment>
  #lease: { readonly found: Lease | undefined; readonly since: MonoMs } | undefined
  #leaseReadAt: MonoMs | undefined

  constructor(parts: WatchParts, { group, namespace, name, uid }: CheckedIngress) {
    this.#parts = parts
    this.#key = `${namespace}/${name}`
    this.#uid = uid
    const { objects, clock } = parts
    const one = { kind: ingressKind(group), namespace, fieldSelector: `metadata.name=${name}` }
    const theirs = { kind: DEPLOYMENTS, namespace, labelSelector: `${INGRESS_LABEL}=${name}` }
    this.#objects = new FollowCache({ follow: (sink, signal) => objects.follow(one, sink, signal), clock })
    this.#deployments = new FollowCache({ follow: (sink, signal) => objects.follow(theirs, sink, signal), clock })
  }

  /** Until aborted; rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#objects.run(signal), this.#deployments.run(signal)])
  }

  /** Resolves after the first list of the object. */
  async synced(signal: AbortSignal): Promise<void> {
    await this.#objects.synced(signal)
  }

  async read(signal: AbortSignal): Promise<RolloutReading> {
    await this.#readLease(signal)
    const { error } = this.#objects.freshness()
    const unled = this.#unled()
    return {
      object: this.#objects.get(this.#key),
      deployments: this.#deployments.objects().filter(({ controller }) => controller?.uid === this.#uid),
      ...(error === undefined ? {} : { trouble: error.message }),
      ...present({ unled }),
    }
  }

  /** An account that may not read the Lease learns nothing of the controller. */
  async #readLease(signal: AbortSignal): Promise<void> {
    const { cluster, clock, lease } = this.#parts
    const now = clock.monoMs()
    if (this.#leaseReadAt !== undefined && now - this.#leaseReadAt < LEASE_AGAIN_MS) return
    this.#leaseReadAt = now
    try {
      const found = await cluster.readLease(lease, signal)
      const before = this.#lease
      const isSame = before !== undefined && before.found?.renewTime === found?.renewTime
      this.#lease = { found, since: isSame ? before.since : now }
    } catch (error) {
      if (!(error instanceof WorldError)) throw error
      this.#lease = undefined
    }
  }

  #unled(): string | undefined {
    const { clock, lease } = this.#parts
    if (this.#lease === undefined) return undefined
    const { found, since } = this.#lease
    const named = `Lease ${lease.namespace}/${lease.name}`
    if (found === undefined)
      return `there is no ${named}: either no controller runs, or it runs in another namespace, which --controller-namespace names`
    if (found.holder === '') return `${named} has no holder, so no controller runs. ${UNTIL_ONE_LEADS}`
    const silentMs = clock.monoMs() - since
    if (silentMs < Math.max(SILENT_MS, 2_000 * found.durationSeconds)) return undefined
    return `${named} was not renewed for ${Math.round(silentMs / 1_000)} s, so no controller seems to run. ${UNTIL_ONE_LEADS}`
  }
}

/** The back-off of a kubelet: pkg/kubelet/kubelet.go, MaxCrashLoopBackOff. */
const UNTIL_ONE_LEADS =
  'The rollout waits until one leads; if its pods ended, their kubelets start them again after up to 5 min (CrashLoopBackOff)'
