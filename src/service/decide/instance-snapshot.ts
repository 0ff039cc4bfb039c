import type { MonoMs } from '../../ground/model/time.ts'
import type { InstanceReading } from '../model/balancer.ts'

/** One balancer instance, answered or not. */
export interface InstanceSnapshot {
  readonly balancer: string
  readonly instance: string
  readonly backends: readonly string[]
  readonly allowLastServer: boolean
  /** The last answer, which may be old: see `silentForMs`. */
  readonly reading?: InstanceReading
  /** When the last answer was asked for. */
  readonly askedAt?: MonoMs
  /** 0 when the newest poll was answered. */
  readonly silentForMs: number
  readonly error?: string
}
