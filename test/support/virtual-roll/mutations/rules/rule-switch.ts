import { appendFileSync } from 'node:fs'

/** How a process is told which rules its engine is without, one a line, and where it notes which of them had something to say. */
export const SWITCHED_BY = { without: 'WITHOUT_RULE', spoken: 'SPOKEN_RULES' } as const

/** The rules that are taken away from the engine of this process, by their ids. */
let without = new Set(process.env[SWITCHED_BY.without]?.split('\n'))
let waitedForMs: number | undefined
const spoke = new Set<string>()

/**
 * What a rule of the engine says, or, where it is taken away, what it says where it has nothing against anything. Notes which rules had
 * something to say: a world in which a rule says nothing cannot show that it is missing.
 */
export function ruled<T>(id: string, away: T, asIs: () => T): T {
  if (without.has(id)) return away
  const said = asIs()
  if (!spoke.has(id) && !isSame(said, away)) noteSpoke(id)
  return said
}

export function takeAway(ids: readonly string[], withinMs?: number): void {
  without = new Set(ids)
  waitedForMs = withinMs
  spoke.clear()
}

export const isRuleAway = (): boolean => without.size > 0

/** In virtual time: a roll that takes longer without the rules does not end. Undefined: it has all the time that it has with them. */
export const endsWithinMs = (): number | undefined => waitedForMs

/** The rules that had something to say since the last ones were taken away. */
export const spokenRules = (): readonly string[] => [...spoke]

function noteSpoke(id: string): void {
  spoke.add(id)
  const file = process.env[SWITCHED_BY.spoken]
  if (file !== undefined) appendFileSync(file, `${id}\n`)
}

function isSame(said: unknown, away: unknown): boolean {
  if (Array.isArray(away)) return Array.isArray(said) && said.length === 0
  if (typeof away !== 'object' || away === null) return said === away
  if (typeof said !== 'object' || said === null) return true
  return 'kind' in away ? 'kind' in said && said.kind === away.kind : Object.keys(said).length === 0
}
