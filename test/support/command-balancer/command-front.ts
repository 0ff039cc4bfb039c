import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { ProxyConfig } from './proxy.ts'

const PROXY = fileURLToPath(new URL('proxy.ts', import.meta.url))

/** What each command does, as shell in the folder of the balancer; `$1` is the node. Each may be done again. */
const SCRIPTS = {
  detach: ': > "wanted/$1"',
  attach: 'rm -f "wanted/$1"',
  status: 'cat "states/$1" 2>/dev/null || echo \'{"state":"none"}\'',
} as const

export interface CommandFront {
  readonly url: string
  /** The section of the roll file. */
  readonly commands: Readonly<Record<string, unknown>>
  /** What the balancer says of that node. */
  readonly status: (node: string) => Promise<string>
  /** From now on that command does this. */
  readonly end: () => void
  readonly script: (name: keyof typeof SCRIPTS, body: string) => Promise<void>
}

/** The balancer as a process, with the scripts that move and ask it. */
export async function commandFront(config: ProxyConfig): Promise<CommandFront> {
  const child = spawn(process.execPath, [PROXY, JSON.stringify(config)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const { folder, port, servers } = config
  const script = async (name: string, body: string): Promise<void> => {
    await writeFile(join(folder, name), `#!/bin/sh\ncd '${folder}' || exit 1\n${body}\n`)
    await chmod(join(folder, name), 0o755)
  }
  for (const [name, body] of Object.entries(SCRIPTS)) await script(name, body)
  const words = (name: string): readonly string[] => [join(folder, name), '{node}']
  return {
    url: `http://127.0.0.1:${port}/`,
    commands: {
      detach: words('detach'),
      attach: words('attach'),
      status: words('status'),
      dataPort: servers[0]?.port,
      timeout: '5s',
      interval: '1s',
    },
    status: (node) => readFile(join(folder, 'states', node), 'utf8'),
    script,
    end: () => child.kill('SIGKILL'),
  }
}

/** Requests at a steady pace, each over a connection of its own, until it is ended. */
export class SteadyClient {
  sent = 0
  readonly failed: string[] = []
  readonly #timer: NodeJS.Timeout

  constructor(url: string, everyMs: number) {
    this.#timer = setInterval(() => this.#ask(url), everyMs)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #ask(url: string): void {
    this.sent += 1
    get(url, { agent: false, timeout: 20_000 }, (answer) => {
      answer.resume()
      if (answer.statusCode !== 200) this.failed.push(`status ${answer.statusCode}`)
    })
      .on('error', (error) => this.failed.push(error.message))
      .on('timeout', () => this.failed.push('no answer in 20 s'))
  }
}
