import { JOBS, PODS } from '../../../src/sim/world/api-resource.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import type { OperatorGround } from './operator-ground.ts'
import type { DrawnRoll, OperatorDeed, OperatorScenario } from './operator-scenario.ts'

/** People who apply Rolls, and change them. */
export class OperatorPeople {
  readonly #ground: OperatorGround
  /** By Roll: since when it is paused, in virtual ms. */
  readonly pausedAt = new Map<string, number>()
  readonly #approved = new Map<string, Set<string>>()
  readonly aborted = new Set<string>()
  readonly deleted = new Set<string>()
  readonly applied = new Set<string>()

  constructor(ground: OperatorGround, { rolls, deeds }: OperatorScenario) {
    this.#ground = ground
    const { time } = ground.cluster
    for (const roll of rolls) time.later(roll.atMs, () => this.#apply(roll))
    for (const deed of deeds) time.later(deed.atMs, () => this.#do(deed))
  }

  isApproved(roll: string, node: string): boolean {
    const approved = this.#approved.get(roll)
    return approved === undefined || approved.has(node) || approved.has('all')
  }

  /** So that each Roll comes to an end: nothing is paused any more, and all nodes are approved. */
  settle(): void {
    for (const roll of this.applied) {
      if (!this.#isThere(roll)) continue
      this.#approved.get(roll)?.add('all')
      this.pausedAt.delete(roll)
      const approved = this.#approved.get(roll)
      this.#ground.patch(roll, { paused: false, ...(approved === undefined ? {} : { approved: [...approved] }) })
    }
  }

  #apply({ name, asksApproval, isPausedFirst, isWrong }: DrawnRoll): void {
    this.applied.add(name)
    if (asksApproval) this.#approved.set(name, new Set())
    if (isPausedFirst) this.pausedAt.set(name, this.#now())
    this.#ground.apply(name, {
      ...(asksApproval ? { approval: 'perNode' } : {}),
      ...(isPausedFirst ? { paused: true } : {}),
      ...(isWrong ? { soak: 'for ever' } : {}),
    })
  }

  #do(deed: OperatorDeed): void {
    const { roll } = deed
    if (!this.#isThere(roll)) return
    switch (deed.kind) {
      case 'pause':
        this.pausedAt.set(roll, this.pausedAt.get(roll) ?? this.#now())
        this.#ground.patch(roll, { paused: true })
        this.#ground.cluster.time.later(deed.forMs, () => {
          if (!this.#isThere(roll)) return
          this.pausedAt.delete(roll)
          this.#ground.patch(roll, { paused: false })
        })
        return
      case 'approve': {
        const approved = this.#approved.get(roll)
        if (approved === undefined) return
        approved.add(deed.node)
        this.#ground.patch(roll, { approved: [...approved] })
        return
      }
      case 'abort':
        this.aborted.add(roll)
        this.#ground.patch(roll, { abort: true })
        return
      case 'delete':
        this.deleted.add(roll)
        this.#ground.remove(roll)
        return
      case 'edit':
        this.#ground.patch(roll, { soak: '2s' })
        return
      case 'label':
        this.#ground.annotate(roll, 'example.com/seen', String(this.#now()))
        return
      default:
        this.#break(deed.kind, roll)
    }
  }

  /** What works on the Roll. */
  #break(kind: 'deleteJob' | 'deletePod' | 'killPod', roll: string): void {
    const { world } = this.#ground.cluster
    const jobs = [...world.store.all(JOBS)].filter(({ metadata }) => metadata.name.startsWith(`roll-${roll}-`))
    const job = jobs.at(-1)
    if (job === undefined) return
    if (kind === 'deleteJob') {
      deleteObject(world, { resource: JOBS, old: job, options: { propagation: 'Background' } })
      return
    }
    const pods = [...world.store.all(PODS)].filter(({ metadata }) => metadata.name.startsWith(`${job.metadata.name}-`))
    for (const pod of pods)
      if (kind === 'deletePod') deleteObject(world, { resource: PODS, old: pod, options: {} })
      else this.#ground.runner.kill(pod.metadata.uid)
  }

  #isThere(roll: string): boolean {
    const found = this.#ground.object(roll)
    return found !== undefined && found.metadata.deletionTimestamp === undefined
  }

  #now(): number {
    return this.#ground.cluster.time.monoMs()
  }
}
