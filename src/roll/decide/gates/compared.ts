import type { Comparison, GateAnswer } from '../../model/gate-spec.ts'

const HOLDS: Readonly<Record<Comparison['operator'], (one: number, other: number) => boolean>> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
}

/** The value of a query against what the gate expects. */
export function compared(value: number, { operator, value: wanted }: Comparison): GateAnswer {
  return HOLDS[operator](value, wanted)
    ? { kind: 'passes', text: `the value is ${value}` }
    : { kind: 'fails', text: `the value is ${value}, not ${operator} ${wanted}` }
}
