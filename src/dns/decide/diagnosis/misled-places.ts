import { isWrong } from '../path-reading.ts'
import type { PathFrom } from '../scene.ts'

/** A place that gets wrong answers by which place it is: they say nothing about what the pods know. */
export interface MisledPlace {
  /** Of this place alone. */
  readonly paths: readonly PathFrom[]
  /** Other places get better answers. Otherwise nobody knows whether they would. */
  readonly isContradicted: boolean
}

/** Pods answer REFUSED to all of a cluster only if it is seen from two nodes: one place may be one that plugin acl leaves out. */
const NODES_FOR_ALL = 2

/** By the name of the place. */
export function misledPlaces(paths: readonly PathFrom[]): ReadonlyMap<string, MisledPlace> {
  const answered = paths.filter(({ reading }) => reading.data !== 'unknown')
  const byPlace = Map.groupBy(answered, ({ vantage }) => vantage)
  const refused = [...byPlace.values()].filter((ofPlace) => ofPlace.every(isRefused)).flat()
  const isServed = answered.some((path) => !isRefused(path) && !isUnanswered(path))
  const isOfAll = !isServed && new Set(refused.flatMap(({ from }) => from.node ?? [])).size >= NODES_FOR_ALL
  return new Map(
    [...byPlace].flatMap(([name, ofPlace]): readonly [string, MisledPlace][] => {
      const isAllRefused = refused.includes(ofPlace[0] as PathFrom)
      const isContradicted = (isAllRefused && isServed) || isContradictedBy(answered, ofPlace)
      return isContradicted || (isAllRefused && !isOfAll) ? [[name, { paths: ofPlace, isContradicted }]] : []
    }),
  )
}

const isRefused = ({ reading }: PathFrom): boolean => reading.data === 'refused'
const isUnanswered = ({ reading }: PathFrom): boolean => reading.data === 'unanswered'

/** Each pod answers this place wrongly, or nothing about the zone, and another place rightly. */
function isContradictedBy(answered: readonly PathFrom[], ofPlace: readonly PathFrom[]): boolean {
  const pods = ofPlace.filter(({ target }) => target.kind === 'pod')
  const isRightElsewhere = ({ vantage, target }: PathFrom): boolean =>
    answered.some(
      (other) =>
        other.vantage !== vantage &&
        other.target.kind === 'pod' &&
        other.target.name === target.name &&
        other.reading.data === 'right',
    )
  return (
    pods.length > 0 && pods.every((path) => (isWrong(path.reading) || isUnanswered(path)) && isRightElsewhere(path))
  )
}
