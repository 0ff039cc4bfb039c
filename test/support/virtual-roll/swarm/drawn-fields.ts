import { parse } from 'yaml'
import { type JsonSchema, rollFileJsonSchema } from '../../../../src/roll/file/roll-file-json-schema.ts'
import { fileScenarioOf } from './file-draw.ts'
import { seedRollFile } from './seed-roll-file.ts'

/** A field of the roll file, `spec.probes[].rate`, and how many values it has in the files of the seeds; 0: it is never written. */
type DrawnField = readonly [path: string, values: number]

/** What no seed writes, by the beginnings of paths, and why. */
const UNDRAWN: Readonly<Record<string, string>> = {
  'metadata.namespace': 'of a Roll in the cluster; the roll does not read it',
  'spec.balancers[].allowLastServer': 'it allows what the checkers of the swarm forbid',
  'spec.balancers[].healthCheck.check.expectBody': 'in memory a health check is known by its status',
  'spec.balancers[].healthCheck.check.insecure': 'no health check of the world has a certificate',
  'spec.balancers[].healthCheck.check.timeout': 'in memory a health check has one time limit',
  'spec.balancers[].healthCheck.nodes.': 'it is written as text; other fields draw the same selector as a map',
  'spec.balancers[].healthCheck.checks': 'the checks of the world have one interval',
  'spec.balancers[].healthEndpoint.checks': 'the checks of the world have one interval',
  'spec.balancers[].instances[].tcp': 'where a socket is does not matter in memory',
  'spec.balancers[].instances[].ssh': 'where a socket is does not matter in memory',
  'spec.balancers[].instances[].masterSocket': 'the process of the world has no master',
  'spec.dns': 'the swarm asks no DNS yet',
  'spec.drain.daemonSets[].': 'it is written as text; other fields draw the same selector as a map',
  'spec.drain.polite': 'drawn by `--polite`',
  'spec.gates[].appliesTo': 'the swarm has no machines of load balancers',
  'spec.gates[].http.equals': 'in memory what is behind a URL says well or not, without a body',
  'spec.gates[].http.expectBody': 'in memory what is behind a URL says well or not, without a body',
  'spec.gates[].http.headers': 'nothing in memory wants a secret',
  'spec.gates[].http.jsonPath': 'in memory what is behind a URL says well or not, without a body',
  'spec.gates[].prometheus.headers': 'nothing in memory wants a secret',
  'spec.hooks[].appliesTo': 'the swarm has no machines of load balancers',
  'spec.hosts': 'test/virtual/balancer-hosts has it; the swarm has no machines of load balancers yet',
  'spec.maxUnavailable': 'refused',
  'spec.notify': 'no engine waits for a receiver: the program that runs the engine tells it of events',
  'spec.probes[].expectBody': 'the app of the world answers without a body to look for',
  'spec.probes[].insecure': 'no target of the world has a certificate',
  'spec.probes[].kept': 'the share of kept connections is drawn, and not their number',
  'spec.reboot.command': 'the machines of the world are reached by ssh',
  'spec.reboot.fleetLock': 'test/virtual/fleet-lock.test.ts has it; the machines of the swarm have no client that asks',
  'spec.reboot.kuredLock.': 'the world has one kured, at its usual place',
  'spec.reboot.rebooter': 'test/virtual/rebooter.test.ts has it; the machines of the swarm are reached by ssh',
  'spec.reboot.onlyIfNeeded.':
    'machines of the world have the file alone; Nodes show no versions, and no rebooter writes the condition',
  'spec.settle.dataPort': 'without the question a checker sees a server set ready at whose port nothing answers',
  'spec.silences[].appliesTo': 'the swarm has no machines of load balancers',
  'spec.silences[].headers': 'nothing in memory wants a secret',
  'spec.window.not[].zone': 'the zone of the window is drawn',
  'spec.window.open[].zone': 'the zone of the window is drawn',
  'spec.zones': 'refused',
}

/** Why no seed writes a field. Undefined: it has to be drawn. */
export const whyUndrawn = (path: string): string | undefined =>
  Object.entries(UNDRAWN).find(([beginning]) => path.startsWith(beginning))?.[1]

/** Beginnings of paths that have a reason, although seeds write such a field or there is none. */
export const reasonsTooMany = (fields: readonly DrawnField[]): readonly string[] =>
  Object.keys(UNDRAWN).filter(
    (beginning) => !fields.some(([path, values]) => values === 0 && path.startsWith(beginning)),
  )

/** Each field of the schema. */
export function drawnFields(seeds: readonly string[]): readonly DrawnField[] {
  const values = new Map<string, Set<string>>()
  for (const seed of seeds) {
    const { spec, amends } = fileScenarioOf(seed)
    for (const fields of [spec, { ...spec, ...amends }]) noteValues(parse(seedRollFile(fields)), '', values)
  }
  return [...new Set(pathsOf(rollFileJsonSchema(), ''))].map((path) => [path, values.get(path)?.size ?? 0])
}

const within = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`)

function pathsOf(
  { properties = {}, items, anyOf = [], additionalProperties }: JsonSchema,
  at: string,
): readonly string[] {
  return [
    ...(at === '' ? [] : [at]),
    ...Object.entries(properties).flatMap(([name, schema]) => pathsOf(schema, within(at, name))),
    ...(items === undefined ? [] : pathsOf(items, `${at}[]`)),
    ...anyOf.flatMap((schema) => pathsOf(schema, at)),
    ...(typeof additionalProperties === 'object' ? pathsOf(additionalProperties, `${at}.*`) : []),
  ]
}

function noteValues(value: unknown, at: string, values: Map<string, Set<string>>): void {
  const seen = values.get(at) ?? new Set()
  values.set(at, seen.add(JSON.stringify(value)))
  if (Array.isArray(value)) for (const item of value) noteValues(item, `${at}[]`, values)
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value)) {
      noteValues(field, within(at, name), values)
      if (at.endsWith('matchLabels')) noteValues(field, within(at, '*'), values)
    }
}
