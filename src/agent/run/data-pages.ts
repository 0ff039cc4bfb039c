import type { Caller, Page, PageOf } from '../../ground/ports/http-door.ts'
import type { Answer } from '../../service/model/answer.ts'
import { DIALECTS, type DialectName, isDialectName } from '../decide/dialect.ts'

const TEXT = 'text/plain; charset=utf-8'
/** No checker asks for more, and longer requests are refused. */
const TARGET_MAX = 256

interface DataPagesParts {
  readonly node: string
  /** The page `/nodename`, where it is not only the name of the node. */
  readonly says?: string
  /** The dialect of requests that name none. */
  readonly dialect: DialectName
  readonly answerTo: (caller: Caller) => Answer
}

/** The page `/nodename` of an agent. Agents of one node share ports, and know each other by it. */
export const nodeSays = (node: string): string => `Node: ${JSON.stringify(node)}`

/**
 * The pages for load balancers and any other client. `/` is what many of them ask where nobody says otherwise, so it answers as
 * `/nodecheck` does.
 */
export const dataPages =
  (parts: DataPagesParts): PageOf =>
  ({ target, caller }) => {
    if (target.length > TARGET_MAX) return { status: 414, contentType: TEXT, body: 'too long\n' }
    const [path, query = ''] = target.split('?', 2)
    switch (path) {
      case '/':
      case '/nodecheck':
        return check(parts, new URLSearchParams(query), caller)
      case '/nodename':
        return { status: 200, contentType: TEXT, body: parts.says ?? nodeSays(parts.node) }
      default:
        return { status: 404, contentType: TEXT, body: 'there is no such page\n' }
    }
  }

/** `?compat=body` is another word for `?dialect=body`. */
function check({ dialect, answerTo }: DataPagesParts, query: URLSearchParams, caller: Caller): Page {
  const wanted = query.get('dialect') ?? query.get('compat') ?? dialect
  if (!isDialectName(wanted)) {
    const known = Object.keys(DIALECTS).join(', ')
    return { status: 400, contentType: TEXT, body: `the dialects are ${known}\n` }
  }
  return { ...DIALECTS[wanted][answerTo(caller)], contentType: TEXT }
}
