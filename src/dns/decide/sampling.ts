import { chanceOfSoFew, type LossCount } from './chances.ts'

/** Chance that a Service with so many endpoints has led each of them at least one query, by what is asked. */
const SEEN_FOR_CERTAIN = 0.99
const QUERIES_MAX = 50

/**
 * How many queries, each from a new port, reach each of `endpoints` with a probability of 99 %: kube-proxy chooses anew for each
 * port. A dead endpoint shows by its share of the queries.
 */
export function queriesToSeeAll(endpoints: number): number {
  if (endpoints <= 1) return 1
  const needed = Math.ceil(Math.log(1 - SEEN_FOR_CERTAIN) / Math.log(1 - 1 / endpoints))
  return Math.min(QUERIES_MAX, needed)
}

/**
 * Whether each endpoint has answered, with a probability of 99 %: one that is dead would lose its share of the queries, and that so few are lost
 * would then be chance.
 */
export const showsAllAnswer = ({ endpoints, ...count }: LossCount & { readonly endpoints: number }): boolean =>
  chanceOfSoFew(count, 1 / Math.max(1, endpoints)) <= 1 - SEEN_FOR_CERTAIN
