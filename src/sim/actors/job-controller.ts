import { isDeepStrictEqual } from 'node:util'
import type { ApiObject } from '../world/api-object.ts'
import { JOBS, PODS } from '../world/api-resource.ts'
import { deleteObject } from '../world/delete-object.ts'
import { replaceObject } from '../world/replace-object.ts'
import { keyOf } from '../world/store.ts'
import { stampOf, type World } from '../world/world.ts'
import { isJobOver, JOB_TRACKING, type JobObject } from './job-object.ts'
import { type JobCounts, type JobVerdict, jobStatus, verdictOf, wantedPods } from './job-status.ts'
import { createOwnedPod, ownerKeys } from './owned-pods.ts'
import { podIndexOf } from './pod-index.ts'
import { controllerOf, isFinished, isGoing, isReady, type PodObject } from './pod-object.ts'
import { type ActorParts, runReconciler } from './run-reconciler.ts'

const LAG_MS = 10
const AGAIN_MS = 1_000
/** After the first failure in a row, and at most (job_controller.go, DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff). */
const BACK_OFF_MS = 10_000
const BACK_OFF_MOST_MS = 600_000

/** Failures since the last success, and when the last of them was seen. */
interface Failures {
  readonly inRow: number
  readonly atMs: number
}

/** Runs the pods of each Job to their end (pkg/controller/job/job_controller.go). The returned function ends it. */
export function runJobController(parts: ActorParts): () => void {
  const { world } = parts
  const failures = new Map<string, Failures>()
  return runReconciler(parts, {
    watches: [
      [JOBS, ({ object }) => [keyOf(object.metadata)]],
      [PODS, (change) => [...ownerKeys(JOBS.kind, change), ...orphanKey(change.object)]],
    ],
    lagMs: LAG_MS,
    sync: (key) => {
      const [namespace = '', name = ''] = key.split('/')
      const job = world.store.get(JOBS, { namespace, name }) as JobObject | undefined
      if (job !== undefined) return new JobSync(world, job, failures).run()
      release(world, namespace)
      return undefined
    },
  })
}

const isTracked = ({ metadata }: ApiObject): boolean => metadata.finalizers?.includes(JOB_TRACKING) === true

/** No Job has an empty name: this one stands for pods that no Job counts any more. */
const orphanKey = (pod: ApiObject): readonly string[] =>
  isTracked(pod) && controllerOf(pod) === undefined ? [`${pod.metadata.namespace ?? ''}/`] : []

/** Lets go the pods whose Job is gone, or that have none (syncOrphanPod). */
function release(world: World, namespace: string): void {
  for (const pod of podIndexOf(world).inNamespace(namespace)) {
    if (!isTracked(pod)) continue
    const owner = controllerOf(pod)
    const job = owner === undefined ? undefined : world.store.get(JOBS, { namespace, name: owner.name })
    if (job === undefined || job.metadata.uid !== owner?.uid) untrack(world, pod)
  }
}

function untrack(world: World, pod: PodObject): void {
  const finalizers = pod.metadata.finalizers?.filter((name) => name !== JOB_TRACKING)
  const body = { ...pod, metadata: { ...pod.metadata, finalizers } }
  replaceObject(world, { resource: PODS, old: pod, body, statusOnly: false })
}

class JobSync {
  readonly #world: World
  readonly #job: JobObject
  readonly #failures: Map<string, Failures>

  constructor(world: World, job: JobObject, failures: Map<string, Failures>) {
    this.#world = world
    this.#job = job
    this.#failures = failures
  }

  run(): number | undefined {
    const counted = this.#count()
    if (isJobOver(this.#job)) return undefined
    const { verdict, againMs } = this.#manage(counted)
    const pods = this.#pods()
    const active = pods.filter(isActive)
    const status = jobStatus({
      job: this.#job,
      verdict,
      counts: { ...counted, active: active.length, ready: active.filter(isReady).length },
      terminating: pods.filter((pod) => isGoing(pod) && !isFinished(pod)).length,
      now: stampOf(this.#world.clock.wallMs()),
    })
    if (!isDeepStrictEqual(status, this.#job.status)) {
      this.#world.store.put(JOBS, { ...(this.#world.store.get(JOBS, this.#job.metadata) ?? this.#job), status })
    }
    return againMs
  }

  #pods(): readonly PodObject[] {
    return podIndexOf(this.#world).ofController(this.#job.metadata.uid)
  }

  /**
   * A pod that ended, or that is made to end, is counted once and let go, and every pod is let go where the Job is going
   * (trackJobStatusAndRemoveFinalizers).
   */
  #count(): Pick<JobCounts, 'succeeded' | 'failed'> {
    const { uid } = this.#job.metadata
    let { succeeded = 0, failed = 0 } = this.#job.status ?? {}
    for (const pod of this.#pods()) {
      if (!isTracked(pod) || (isActive(pod) && !isGoing(this.#job))) continue
      if (pod.status?.phase === 'Succeeded') {
        succeeded += 1
        this.#failures.delete(uid)
      } else if (!isActive(pod)) {
        failed += 1
        this.#failures.set(uid, {
          inRow: (this.#failures.get(uid)?.inRow ?? 0) + 1,
          atMs: this.#world.clock.wallMs(),
        })
      }
      untrack(this.#world, pod)
    }
    return { succeeded, failed }
  }

  #manage(counted: Pick<JobCounts, 'succeeded' | 'failed'>): {
    readonly verdict: JobVerdict
    readonly againMs?: number
  } {
    const active = this.#pods().filter(isActive)
    const verdict = verdictOf(this.#job, { ...counted, active: active.length, ready: 0 })
    if (verdict === 'runs' && isGoing(this.#job)) return { verdict }
    if (verdict !== 'runs') {
      for (const pod of active) this.#remove(pod, verdict !== 'suspended')
      return { verdict }
    }
    const wanted = wantedPods(this.#job, { ...counted, active: active.length, ready: 0 })
    for (const pod of active.slice(wanted)) this.#remove(pod, false)
    if (wanted <= active.length) return { verdict }
    const waitMs = this.#backOffMs()
    if (waitMs > 0) return { verdict, againMs: waitMs }
    for (let missing = wanted - active.length; missing > 0; missing -= 1) {
      if (!this.#create()) return { verdict, againMs: AGAIN_MS }
    }
    return { verdict }
  }

  /** A pod that is not wanted any more is no failure (deleteJobPods). */
  #remove(pod: PodObject, isCounted: boolean): void {
    if (!isCounted) untrack(this.#world, pod)
    const old = this.#world.store.get(PODS, pod.metadata)
    if (old !== undefined) deleteObject(this.#world, { resource: PODS, old, options: {} })
  }

  #create(): boolean {
    const { template } = this.#job.spec
    return createOwnedPod(this.#world, {
      resource: JOBS,
      owner: this.#job,
      template,
      finalizers: [JOB_TRACKING],
    })
  }

  #backOffMs(): number {
    const failures = this.#failures.get(this.#job.metadata.uid)
    if (failures === undefined) return 0
    const pauseMs = Math.min(BACK_OFF_MOST_MS, BACK_OFF_MS * 2 ** (failures.inRow - 1))
    return failures.atMs + pauseMs - this.#world.clock.wallMs()
  }
}

const isActive = (pod: PodObject): boolean => !isFinished(pod) && !isGoing(pod)
