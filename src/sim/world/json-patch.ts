import { isDeepStrictEqual } from 'node:util'
import { isMap } from './merge-patch.ts'

/** The patch cannot be made: a `test` does not hold, or a path leads nowhere. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
}

interface Operation {
  readonly op: string
  readonly path: string
  readonly from?: string
  readonly value?: unknown
}

/** RFC 6902 as the API server has it, all or nothing: what was given is not changed. Throws PatchError. */
export function applyJsonPatch(target: unknown, operations: readonly unknown[]): unknown {
  let result = target
  for (const operation of operations) result = applied(result, checked(operation))
  return result
}

function checked(operation: unknown): Operation {
  if (!isMap(operation) || typeof operation.op !== 'string' || typeof operation.path !== 'string') {
    throw new PatchError('an operation of a JSON patch needs op and path')
  }
  return operation as unknown as Operation
}

function applied(target: unknown, { op, path, from, value }: Operation): unknown {
  const tokens = tokensOf(path)
  switch (op) {
    case 'test':
      // What is not there is null, and so is a value that is not given (evanphx/json-patch v4, patch.go, test).
      if (!isDeepStrictEqual(lastValue(target, tokens, path) ?? null, value ?? null)) {
        throw new PatchError(`testing path ${path} value failed: test failed`)
      }
      return target
    case 'add':
      return set(target, tokens, { path, value, mode: 'add' })
    case 'replace':
      // The API server's library lets a name be replaced that is not there yet (evanphx/json-patch v4).
      return set(target, tokens, { path, value, mode: 'replace' })
    case 'remove':
      valueAt(target, tokens, path)
      return set(target, tokens, { path, value: undefined, mode: 'remove' })
    case 'copy':
      return set(target, tokens, { path, value: valueAt(target, tokensOf(from ?? ''), from ?? ''), mode: 'add' })
    case 'move': {
      const source = tokensOf(from ?? '')
      const moved = valueAt(target, source, from ?? '')
      const rest = set(target, source, { path: from ?? '', value: undefined, mode: 'remove' })
      return set(rest, tokens, { path, value: moved, mode: 'add' })
    }
    default:
      throw new PatchError(`Unexpected kind: ${op}`)
  }
}

/** RFC 6901 section 4. */
function tokensOf(path: string): readonly string[] {
  if (path === '') return []
  if (!path.startsWith('/')) throw new PatchError(`the path ${path} does not begin with a slash`)
  return path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const missing = (path: string): PatchError => new PatchError(`${path}: the path does not exist`)

function valueAt(target: unknown, tokens: readonly string[], path: string): unknown {
  let value = target
  for (const token of tokens) {
    if (Array.isArray(value)) value = value[indexIn(value, token, path)]
    else if (isMap(value) && Object.hasOwn(value, token)) value = value[token]
    else throw missing(path)
  }
  return value
}

/** The last name of a path may be of nothing; what it is looked for in must be there. */
function lastValue(target: unknown, tokens: readonly string[], path: string): unknown {
  const last = tokens.at(-1)
  const holder = valueAt(target, tokens.slice(0, -1), path)
  return last !== undefined && isMap(holder) && !Object.hasOwn(holder, last)
    ? undefined
    : valueAt(holder, tokens.slice(-1), path)
}

/** A negative index counts from the end (evanphx/json-patch v4, SupportNegativeIndices). */
function indexIn({ length }: { readonly length: number }, token: string, path: string): number {
  const index = /^-?\d+$/.test(token) ? Number(token) : Number.NaN
  const fromStart = index < 0 ? index + length : index
  if (!(fromStart >= 0 && fromStart < length)) throw missing(path)
  return fromStart
}

interface Setting {
  readonly path: string
  readonly value: unknown
  readonly mode: 'add' | 'replace' | 'remove'
}

function set(target: unknown, tokens: readonly string[], setting: Setting): unknown {
  const [token, ...rest] = tokens
  if (token === undefined) return setting.value
  if (Array.isArray(target)) return setInList(target, [token, ...rest], setting)
  if (!isMap(target)) throw missing(setting.path)
  if (rest.length > 0) {
    if (!Object.hasOwn(target, token)) throw missing(setting.path)
    return { ...target, [token]: set(target[token], rest, setting) }
  }
  if (setting.mode !== 'remove') return { ...target, [token]: setting.value }
  return Object.fromEntries(Object.entries(target).filter(([name]) => name !== token))
}

function setInList(list: readonly unknown[], tokens: readonly string[], setting: Setting): readonly unknown[] {
  const [token = '', ...rest] = tokens
  if (rest.length > 0) {
    const index = indexIn(list, token, setting.path)
    return list.with(index, set(list[index], rest, setting))
  }
  if (setting.mode === 'replace') return list.with(indexIn(list, token, setting.path), setting.value)
  if (setting.mode === 'remove') return list.toSpliced(indexIn(list, token, setting.path), 1)
  const at = token === '-' ? list.length : indexIn({ length: list.length + 1 }, token, setting.path)
  return list.toSpliced(at, 0, setting.value)
}
