/** What runs in the cluster, as one program without the rest of the tool: its first word says which part it is. */
import process from 'node:process'
import { agentMain } from './agent/agent-main.ts'
import { relayMain } from './dns/relay-main.ts'

type Part = (words: readonly string[]) => Promise<number>

const PARTS: Readonly<Record<string, Part>> = {
  agent: agentMain,
  controller: async (words) => (await import('./in-cluster-rest.ts')).controller(words),
  dns: async (words) => (await import('./in-cluster-rest.ts')).dns(words),
  'dns-relay': relayMain,
}

const [name = '', ...words] = process.argv.slice(2)
const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined
if (part === undefined) {
  const known = Object.keys(PARTS).join(', ')
  process.stderr.write(`error: "${name}" is not a command of this program\n  = fix: begin with one of: ${known}\n`)
  process.exit(2)
}
void part(words).then((code) => process.exit(code))
