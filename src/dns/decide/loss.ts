import { chanceOfSoFew, chanceOfSoMany, type LossCount } from './chances.ts'

/**
 * When enough was asked on a path to know whether it loses queries: the sequential probability ratio test (A. Wald, Sequential Tests of
 * Statistical Hypotheses, Annals of Mathematical Statistics 16, 1945).
 *
 * A path that is well loses one query in a hundred, and one that is ill loses one in ten. The ratio says how much better the second explains
 * what was seen than the first. Each lost query makes it ten times as large (0.1 / 0.01). Each answered one makes it smaller by a tenth
 * (0.9 / 0.99). The path is ill once the ratio is 500, and well once it is 1/1,000. In between, the check asks on.
 *
 * If the path is well, the ratio is 1 on the average, however long one asks. So the chance that it ever comes to 500 is 1/500 at most. In
 * the same way an ill path is taken for a well one with a chance of 1/1,000 at most. That holds whenever one looks, so the
 * queries may be sent in groups. A finding takes two rounds: a path that loses one in a hundred is reported once in 250,000 checks,
 * and one that loses one in ten is missed in less than one of a hundred.
 */
const WELL = 0.01
const ILL = 0.1
const WELL_TAKEN_FOR_ILL = 1 / 500
const ILL_TAKEN_FOR_WELL = 1 / 1_000
const OF_LOST = Math.log(ILL / WELL)
const OF_ANSWERED = Math.log((1 - ILL) / (1 - WELL))

/** A path that loses more than a well one and less than an ill one may be asked without an end. After so many queries, the likelier of the two counts. */
const QUERIES_MAX = 200
/** Queries that are sent before one looks again. */
const GROUP_MAX = 80
/** What is missed with this chance was not seen for certain. */
const MISSED = 0.01
/** Two paths that lose alike are taken for two that do not with this chance. */
const TAKEN_FOR_UNLIKE = 0.05

/** From this share on loss is seen in 99 of 100 checks. */
const SEEN_FROM = ILL

const logOfRatio = ({ asked, lost }: LossCount): number => lost * OF_LOST + (asked - lost) * OF_ANSWERED

/** That a path is well explains better what was seen than that it is ill. */
export const isLikelierWell = (count: LossCount): boolean => logOfRatio(count) < 0

/** `open`: not known yet. */
export function judgeLoss({ asked, lost }: LossCount): 'ill' | 'well' | 'open' {
  const ratio = logOfRatio({ asked, lost })
  if (asked >= QUERIES_MAX) return ratio < 0 ? 'well' : 'ill'
  if (ratio >= -Math.log(WELL_TAKEN_FOR_ILL)) return 'ill'
  return ratio <= Math.log(ILL_TAKEN_FOR_WELL) ? 'well' : 'open'
}

/** How many queries come next: if all of them are answered, the path is well. 0: it is known, or was asked often enough. */
export function queriesToKnow(count: LossCount): number {
  const { asked, lost } = count
  if (judgeLoss(count) !== 'open') return 0
  const answered = Math.ceil((Math.log(ILL_TAKEN_FOR_WELL) - lost * OF_LOST) / OF_ANSWERED)
  return Math.min(lost + answered - asked, GROUP_MAX, QUERIES_MAX - asked)
}

/** The smallest share of lost queries that such a count excludes. */
export function lossSeenFrom(count: LossCount): number {
  let [least, most] = [count.lost / Math.max(1, count.asked), 1]
  while (most - least > 1e-4) {
    const middle = (least + most) / 2
    if (chanceOfSoFew(count, middle) > MISSED) least = middle
    else most = middle
  }
  return Math.max(SEEN_FROM, most)
}

/** A path that loses none of so many is well. */
export const QUERIES_IF_NONE_IS_LOST = queriesToKnow({ asked: 0, lost: 0 })

/** Whether `one` loses more than `other` does, and not by chance. */
export const losesMore = (one: LossCount, other: LossCount): boolean => chanceOfSoMany(one, other) <= TAKEN_FOR_UNLIKE

/** Whether so many queries in a row may be lost by chance on a path that loses so many. */
export const isLostByChance = (inARow: number, { asked, lost }: LossCount): boolean =>
  (lost / Math.max(1, asked)) ** inARow > MISSED

/** A path that loses nine in ten is lossy and not dead: what cures a dead one does not cure it. With this chance it answers none of so many. */
const LOSSY_TAKEN_FOR_DEAD = 1 / 500
export const QUERIES_TO_SEE_LIFE = Math.ceil(Math.log(LOSSY_TAKEN_FOR_DEAD) / Math.log(0.9))
