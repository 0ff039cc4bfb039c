import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { findCommand } from '../../../testbed/machine/find-command.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { DrawnConfig } from './draw.ts'

/** What a HAProxy that runs by a file says of it. */
export interface Running {
  readonly servers: readonly RunningServer[]
  /** `backend/server` → the one that it tracks. */
  readonly tracked: ReadonlyMap<string, string>
  /** Backend → its mode; those that are disabled have none. */
  readonly modes: ReadonlyMap<string, string>
  /** `unix@/path admin`. */
  readonly sockets: readonly string[]
  /** `127.0.0.1:80`. */
  readonly listens: readonly string[]
}

export interface RunningServer {
  readonly backend: string
  readonly name: string
  readonly address: string
  readonly port: number
  readonly isChecked: boolean
}

/** Starts it and asks it, and gives both to `look`; ends it. Undefined: HAProxy refuses the file. */
export async function whileRunning<T>(
  { text, env, socket }: DrawnConfig,
  look: (running: Running) => Promise<T>,
): Promise<T | undefined> {
  const file = `${socket}.cfg`
  await writeFile(file, text)
  const child = spawn(findCommand('haproxy') ?? 'haproxy', ['-db', '-f', file], {
    env: { ...env, PATH: process.env.PATH },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  try {
    return (await hasStarted(child, socket)) ? await look(await read(child, socket)) : undefined
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

async function hasStarted(child: ChildProcess, socket: string): Promise<boolean> {
  const wait = { what: 'HAProxy to answer or to refuse', limitMs: 60_000, everyMs: 10 }
  const end = await waitFor(wait, async () => {
    if (child.exitCode !== null) return 'refused'
    return (await reply(socket, 'show info').catch(() => '')) === '' ? undefined : 'answered'
  })
  return end === 'answered'
}

async function reply(path: string, line: string): Promise<string> {
  const socket = connect(path).setEncoding('utf8')
  socket.write(`${line}\n`)
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

async function read(child: ChildProcess, socket: string): Promise<Running> {
  const states = table(await reply(socket, 'show servers state'), ' ')
  const stats = table((await reply(socket, 'show stat')).slice(2), ',')
  const tracked = new Map(stats.map(({ pxname, svname, tracked: by = '' }) => [`${pxname}/${svname}`, by]))
  const modes = new Map(
    stats.filter(({ svname }) => svname === 'BACKEND').map(({ pxname = '', mode = '' }) => [pxname, mode]),
  )
  const checked = new Map(
    states.map((row) => [`${row.be_name}/${row.srv_name}`, (Number(row.srv_check_state) & 4) !== 0]),
  )
  const isChecked = (key: string, left = 9): boolean => {
    const next = tracked.get(key) || undefined
    return next === undefined || left === 0 ? checked.get(key) === true : isChecked(next, left - 1)
  }
  const servers = states.map((row) => ({
    backend: row.be_name ?? '',
    name: row.srv_name ?? '',
    address: row.srv_addr === '-' ? '' : (row.srv_addr ?? ''),
    port: Number(row.srv_port),
    isChecked: isChecked(`${row.be_name}/${row.srv_name}`),
  }))
  const sockets = (await reply(socket, 'show cli sockets'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  return {
    servers,
    tracked,
    modes,
    sockets: sockets.map((line) => line.replace(/ \S+$/, '')),
    listens: await listensOf(child.pid ?? 0),
  }
}

/** Rows by the names of their columns. */
function table(text: string, separator: string): readonly Readonly<Record<string, string>>[] {
  const lines = text.split('\n').filter((line) => line !== '' && line !== '1')
  const columns = (lines[0] ?? '').replace(/^# /, '').split(separator)
  const rows = lines.slice(1).map((line) => line.split(separator))
  return rows.map((cells) => Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? ''])))
}

/** By /proc. */
async function listensOf(pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`
  const targets = await Promise.all((await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')))
  const own = new Set(targets.map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]))
  const rows = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/))
  const listening = rows.filter((cells) => cells[3] === '0A' && own.has(cells[9]))
  return listening.map((cells) => endpoint(cells[1] ?? '')).toSorted()
}

function endpoint(hex: string): string {
  const [address = '', port = ''] = hex.split(':')
  const bytes = address.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? []
  return `${bytes.toReversed().join('.')}:${Number.parseInt(port, 16)}`
}
