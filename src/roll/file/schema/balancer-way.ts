import type { z } from 'zod'
import type { BalancerVia } from '../../../service/model/balancer-spec.ts'

/** A field of a balancer that names how it is reached. Beside it, `instances` and `backends` have no meaning. */
export interface BalancerWay<Section extends z.ZodType> {
  readonly section: Section
  /** What the roll asks in place of a balancer: the end of an error text. */
  readonly instead: string
  viaOf(written: z.output<Section>): BalancerVia
}

/** Lets the compiler infer what the section gives. */
export const balancerWay = <Section extends z.ZodType>(way: BalancerWay<Section>): BalancerWay<Section> => way
