/** Chance that a Service with so many endpoints has led each of them at least one query, by what is asked. */
const SEEN_FOR_CERTAIN = 0.99
const QUERIES_MAX = 50

/**
 * How many queries, each from a new port, see every one of `endpoints` with 99 %: kube-proxy draws anew for each port.
 * One more endpoint that is dead shows by its share of them.
 */
export function queriesToSeeAll(endpoints: number): number {
  if (endpoints <= 1) return 1
  const needed = Math.ceil(Math.log(1 - SEEN_FOR_CERTAIN) / Math.log(1 - 1 / endpoints))
  return Math.min(QUERIES_MAX, needed)
}
