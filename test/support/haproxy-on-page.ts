import { readFileSync } from 'node:fs'

const PAGE = readFileSync(new URL('../../docs/agent.md', import.meta.url), 'utf8')

export interface BackendOnPage {
  /** All of it but its server. */
  readonly options: string
  /** What stands behind the server's address. */
  readonly server: string
}

/** The backends that the agent's page shows, by name, since what people copy is what has to work. */
export function haproxyOnPage(): Readonly<Record<string, BackendOnPage>> {
  const [, block = ''] = /```haproxy\n(.*?)```/s.exec(PAGE) ?? []
  const backends = block.split(/^backend /m).slice(1)
  return Object.fromEntries(
    backends.map((text) => {
      const [name = '', ...lines] = text.trim().split('\n')
      const [, server = ''] = /^ *server n1 10\.0\.0\.1:443 (.+)$/m.exec(text) ?? []
      return [name, { options: lines.filter((line) => !line.includes('server n1')).join('\n'), server }]
    }),
  )
}
