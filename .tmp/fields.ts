import { parse } from 'yaml'
import { rollFileJsonSchema, type JsonSchema } from '../src/roll/file/roll-file-json-schema.ts'
import { scenarioOf } from '../test/support/virtual-roll/swarm/scenario.ts'
import { seedRollFile } from '../test/support/virtual-roll/swarm/seed-roll-file.ts'
const all = new Set<string>()
const walk = (s: JsonSchema, at: string): void => {
  if (at !== '') all.add(at)
  for (const [k, v] of Object.entries(s.properties ?? {})) walk(v, at === '' ? k : `${at}.${k}`)
  if (s.items) walk(s.items, `${at}[]`)
  for (const o of s.anyOf ?? []) walk(o, at)
  if (typeof s.additionalProperties === 'object') walk(s.additionalProperties, `${at}.*`)
}
walk(rollFileJsonSchema(), '')
const drawn = new Map<string, Set<string>>()
const look = (v: unknown, at: string): void => {
  if (at !== '') (drawn.get(at) ?? drawn.set(at, new Set()).get(at)!).add(typeof v === 'object' ? '' : String(v))
  if (Array.isArray(v)) for (const x of v) look(x, `${at}[]`)
  else if (typeof v === 'object' && v !== null) for (const [k, x] of Object.entries(v)) look(x, at === '' ? k : `${at}.${k}`)
}
for (let i = 0; i < 3000; i++) { const s = scenarioOf(String(5000000 + i)); look(parse(seedRollFile(s.spec)), ''); look(parse(seedRollFile({...s.spec, ...s.amends})), '') }
const leaf = [...all]
let n = 0
for (const p of leaf) { const d = drawn.get(p); if (d) n++; console.log(d ? `${d.size}`.padStart(4) : '   -', p) }
console.log(n, 'of', leaf.length)
