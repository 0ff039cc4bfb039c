import type { z } from 'zod'
import { LEAVE_LIMIT_MS } from '../hold-while-moving.ts'

type Context = z.core.$RefinementCtx<unknown>

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const NAMES_HOST = /\{(host|ssh)\}/

/** A track file or two commands. A command that runs on this machine has to name the machine that it is for. */
export function movesSomehow(value: unknown, context: Context): void {
  if (!isRecord(value)) return
  const written = ['moveAway', 'moveBack'].filter((name) => name in value)
  const [first] = written
  if ('trackFile' in value) {
    const other = first ?? (value.runs === 'here' ? 'runs' : undefined)
    if (other === undefined) return
    const params = { code: 'config.choice', fix: `remove ${other} or trackFile`, at: 'key' }
    context.addIssue({
      code: 'custom',
      message: `"${other}" beside "trackFile": only one may be written`,
      path: [other],
      params,
    })
    return
  }
  if (written.length < 2) {
    const params = {
      code: 'config.choice',
      hint: 'trackFile, or both moveAway and moveBack',
      fix: 'trackFile: {path: /run/keepalived/evenkeel, away: 1}',
    }
    const message = first === undefined ? 'one of trackFile, moveAway is missing' : `"${first}" without its counterpart`
    context.addIssue({ code: 'custom', message, params })
    return
  }
  if (value.runs !== 'here') return
  for (const name of written.filter(
    (command) => !listOf(value[command]).some((word) => NAMES_HOST.test(String(word))),
  )) {
    const params = { code: 'config.placeholder', hint: 'no argument has {host} or {ssh}', fix: 'pass "{host}"' }
    context.addIssue({ code: 'custom', message: 'the command does not receive the machine', path: [name], params })
  }
}

/**
 * How much longer than `holdConnections.limit` the command of a machine may take: until the addresses have left, and a second
 * more.
 */
const BESIDE_HOLD_MS = LEAVE_LIMIT_MS + 1000

/** Connections are held on the machine itself, within the time of its command. */
export function holdsOnHost(value: unknown, context: Context): void {
  if (!isRecord(value) || !isRecord(value.holdConnections)) return
  const path = ['holdConnections']
  if (value.runs === 'here') {
    const params = { code: 'config.choice', fix: 'remove holdConnections or runs', at: 'key' }
    const message = '"holdConnections" beside "runs: here": connections are held on the machine, by its own command'
    context.addIssue({ code: 'custom', message, path, params })
  }
  const [limit, commandTimeout] = [value.holdConnections.limit, value.commandTimeout]
  if (typeof limit !== 'number' || typeof commandTimeout !== 'number') return
  const leastMs = limit + BESIDE_HOLD_MS
  if (commandTimeout >= leastMs) return
  const least = `${Math.ceil(leastMs / 1000)}s`
  const params = { code: 'config.range', hint: `holdConnections.limit and 6s: ${least}`, fix: least }
  const message = 'the command may not end before connections were held and the addresses have left'
  context.addIssue({ code: 'custom', message, path: ['commandTimeout'], params })
}

/** The names of machines are unique over all pairs. */
export function knownMachines(value: unknown, context: Context): void {
  const seen = new Set<string>()
  listOf(value).forEach((pair, index) => {
    listOf(isRecord(pair) ? pair.machines : undefined).forEach((machine, inner) => {
      const name = isRecord(machine) ? machine.name : undefined
      if (typeof name !== 'string') return
      if (seen.has(name)) {
        const params = { code: 'config.repeated', fix: 'give each a different name' }
        const path = [index, 'machines', inner, 'name']
        context.addIssue({ code: 'custom', message: `"${name}" is written twice`, path, params })
      }
      seen.add(name)
    })
  })
}

/** Each instance that a machine names is an instance of a HAProxy, and runs on one machine only. */
export function hostInstances(value: unknown, context: Context): void {
  if (!isRecord(value) || !isRecord(value.hosts)) return
  const known = listOf(value.balancers).flatMap((balancer) =>
    listOf(isRecord(balancer) ? balancer.instances : undefined).map((instance) =>
      isRecord(instance) ? String(instance.name) : '',
    ),
  )
  const seen = new Set<string>()
  listOf(value.hosts.pairs).forEach((pair, index) => {
    listOf(isRecord(pair) ? pair.machines : undefined).forEach((machine, inner) => {
      listOf(isRecord(machine) ? machine.instances : undefined).forEach((name, at) => {
        if (typeof name !== 'string') return
        const path = ['hosts', 'pairs', index, 'machines', inner, 'instances', at]
        if (!known.includes(name)) {
          const hint = known.length === 0 ? 'balancers has no instances' : `instances: ${known.join(', ')}`
          const params = { code: 'config.value', hint, fix: known[0] ?? 'describe the instance in "balancers"' }
          context.addIssue({ code: 'custom', message: `there is no instance "${name}"`, path, params })
        } else if (seen.has(name)) {
          const params = { code: 'config.repeated', fix: 'name it at one machine' }
          context.addIssue({ code: 'custom', message: `"${name}" is written twice`, path, params })
        }
        seen.add(name)
      })
    })
  })
}
