import type { Figure } from '../report/figure.ts'
import { exponent, exponentOfNLogN } from './growth.ts'
import type { VirtualDocument, VirtualRollDocument } from './virtual-document.ts'

/** What the roll of a cluster of that size may take, and have of memory. */
const GOALS: ReadonlyMap<number, { readonly s: number; readonly mb?: number }> = new Map([
  [6, { s: 0.1 }],
  [1_000, { s: 20, mb: 500 }],
])

const EVENTS_GOAL_S = 1

export function virtualFigures(documents: readonly VirtualDocument[]): readonly Figure[] {
  const rolls = documents.filter((document) => document.bench === 'virtual.roll').toSorted((a, b) => a.nodes - b.nodes)
  return [...documents.flatMap(eventFigures), ...rolls.flatMap(rollFigures), ...growthFigures(rolls)]
}

function eventFigures(document: VirtualDocument): readonly Figure[] {
  if (document.bench !== 'virtual.events') return []
  const scaled = (ms: number): number => hundredths((50 * ms) / document.events)
  return [
    {
      part: 'virtual',
      name: `50,000 events in a cluster of ${document.nodes} nodes`,
      value: scaled(document.ms),
      unit: 's',
      beside: { name: 'the store alone', value: scaled(document.bareMs) },
      goal: EVENTS_GOAL_S,
    },
  ]
}

function rollFigures({ nodes, ms, times, peakMb }: VirtualRollDocument): readonly Figure[] {
  const goal = GOALS.get(nodes)
  const first = times[0]
  return [
    {
      part: 'virtual',
      name: `roll of ${nodes} nodes${times.length > 1 ? `, median of ${times.length}` : ''}`,
      value: hundredths(ms / 1_000),
      unit: 's',
      ...(times.length > 1 && first !== undefined
        ? { beside: { name: 'the first', value: hundredths(first / 1_000) } }
        : {}),
      ...(goal === undefined ? {} : { goal: goal.s }),
    },
    {
      part: 'virtual',
      name: `roll of ${nodes} nodes, most memory`,
      value: peakMb,
      unit: 'MB',
      ...(goal?.mb === undefined ? {} : { goal: goal.mb }),
    },
  ]
}

/** From each size to the next. */
const growthFigures = (rolls: readonly VirtualRollDocument[]): readonly Figure[] =>
  rolls.slice(1).flatMap((large, at): readonly Figure[] => {
    const small = rolls[at]
    if (small === undefined) return []
    return [
      {
        part: 'virtual',
        name: `growth from ${small.nodes} to ${large.nodes} nodes, power of n`,
        value: exponent(small, large),
        unit: '',
        goal: exponentOfNLogN(small.nodes, large.nodes),
      },
    ]
  })

const hundredths = (value: number): number => Math.round(100 * value) / 100
