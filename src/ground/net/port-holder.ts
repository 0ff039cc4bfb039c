import { readdir, readFile, readlink } from 'node:fs/promises'

const LISTENING = '0A'

interface Listener {
  readonly inode: string
  readonly uid: string
}

/** The process at a port of this machine, for people: `haproxy (pid 4711)`, or what else the kernel shows of it (proc(5)). */
export async function portHolder(port: number): Promise<string> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(textOf))
  const listener = tables.flatMap((text) => listeners(text, port))[0]
  if (listener === undefined) return 'a process that this one cannot see'
  const pid = await ownerOf(listener.inode)
  if (pid === undefined) return `a process of user ${listener.uid} that this one cannot see`
  return `${(await textOf(`/proc/${pid}/comm`)).trim()} (pid ${pid})`
}

function listeners(table: string, port: number): readonly Listener[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid = '', , inode = ''] = line.trim().split(/\s+/)
    return state === LISTENING && local.endsWith(wanted) ? [{ inode, uid }] : []
  })
}

async function ownerOf(inode: string): Promise<string | undefined> {
  const pids = (await namesIn('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const files = await namesIn(`/proc/${pid}/fd`)
    const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')))
    if (links.includes(`socket:[${inode}]`)) return pid
  }
  return undefined
}

/** A process may end meanwhile, and others may not be read: both give nothing. */
const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
const namesIn = (path: string): Promise<readonly string[]> => readdir(path).catch(() => [])
