/** What was asked on a path, and how much of it got no answer. */
export interface LossCount {
  readonly asked: number
  readonly lost: number
}

/** The chance to lose so few of so many queries, or fewer, where each is lost with the chance `share` (a binomial distribution). */
export function chanceOfSoFew({ asked, lost }: LossCount, share: number): number {
  if (share >= 1) return lost < asked ? 0 : 1
  let chance = (1 - share) ** asked
  let soFew = chance
  for (let one = 1; one <= lost; one += 1) {
    chance *= ((asked - one + 1) / one) * (share / (1 - share))
    soFew += chance
  }
  return soFew
}

/**
 * The chance that `one` has so many of the losses of both, or more, where both lose alike (a hypergeometric distribution; R. A. Fisher, The
 * Logic of Inductive Inference, 1935).
 */
export function chanceOfSoMany(one: LossCount, other: LossCount): number {
  const lost = one.lost + other.lost
  const all = logOfChoices(one.asked + other.asked, lost)
  let soMany = 0
  for (let ofOne = one.lost; ofOne <= Math.min(lost, one.asked); ofOne += 1)
    if (lost - ofOne <= other.asked)
      soMany += Math.exp(logOfChoices(one.asked, ofOne) + logOfChoices(other.asked, lost - ofOne) - all)
  return soMany
}

/** In how many ways some can be chosen of so many, as a natural logarithm. */
function logOfChoices(of: number, chosen: number): number {
  let log = 0
  for (let one = 1; one <= chosen; one += 1) log += Math.log((of - chosen + one) / one)
  return log
}
