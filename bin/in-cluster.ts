/**
 * The program of the image. Its first word names the part of the cluster; these parts are small and start at once. Any other
 * word is for the whole tool, which is beside them.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { agentMain } from './agent/agent-main.ts'
import { relayMain } from './dns/relay-main.ts'

type Part = (words: readonly string[]) => Promise<number>

const PARTS: Readonly<Record<string, Part>> = {
  agent: agentMain,
  controller: async (words) => (await import('./in-cluster-rest.ts')).controller(words),
  dns: async (words) => (await import('./in-cluster-rest.ts')).dns(words),
  'dns-relay': relayMain,
  rebooter: async (words) => (await import('./in-cluster-rest.ts')).rebooter(words),
}

/** Absent where these parts were built without it. */
const tool = join(dirname(process.argv[1] ?? ''), 'tool', 'evenkeel.js')

/** A part in a pod uses the service account of its pod. Any other identity is read by the tool. */
function isForTool(part: Part | undefined, name: string, words: readonly string[]): boolean {
  if (!existsSync(tool)) return false
  if (part === undefined || words.some((word) => /^--kubeconfig(?:=|$)/.test(word))) return true
  return name === 'dns' && process.env.KUBERNETES_SERVICE_HOST === undefined
}

const [name = '', ...words] = process.argv.slice(2)
const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined
if (isForTool(part, name, words)) {
  // The same process goes on without the flags for agents, and signals still reach it.
  process.execve?.(process.execPath, [process.execPath, tool, ...process.argv.slice(2)], process.env)
}
if (part === undefined) {
  const known = Object.keys(PARTS).join(', ')
  process.stderr.write(`error: "${name}" is not a command of this program\n  = fix: begin with one of: ${known}\n`)
  process.exit(2)
}
void part(words).then((code) => process.exit(code))
