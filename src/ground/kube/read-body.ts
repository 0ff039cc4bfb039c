import type { Readable } from 'node:stream'
import { WorldError } from '../model/world-error.ts'
import { errorCode } from './transport-error.ts'

/** Five hundred pods of a large cluster are some 5 MB, five hundred nodes with their images some 25 MB. */
const BODY_BYTES_MAX = 64 * 1024 * 1024

/** The whole body, parsed. Rejects with WorldError KUBE_TOO_LARGE, KUBE_REPLY where it is no JSON, KUBE_UNREACHABLE where it breaks off. */
export async function readJson(reply: Readable, bytesMax = BODY_BYTES_MAX): Promise<unknown> {
  const text = await readText(reply, bytesMax)
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new WorldError('the API server answered with something that is not JSON', replyDetails(error))
  }
}

/** The whole body as text. */
async function readText(reply: Readable, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of reply) {
      if (!Buffer.isBuffer(chunk)) continue
      bytes += chunk.length
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      chunks.push(chunk)
    }
  } catch (error) {
    throw brokenOff(error)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The error for an answer that stopped before its end. */
export function brokenOff(error: unknown): WorldError {
  if (error instanceof WorldError) return error
  const details = { code: 'KUBE_UNREACHABLE', retry: 'backoff', cause: error } as const
  return new WorldError(`the API server's answer broke off (${errorCode(error) || 'no reason given'})`, details)
}

const tooLarge = (bytesMax: number): WorldError =>
  new WorldError(`the answer of the API server is larger than ${bytesMax / 1024 ** 2} MiB`, {
    code: 'KUBE_TOO_LARGE',
    retry: 'backoff',
  })

function replyDetails(cause?: unknown) {
  return { code: 'KUBE_REPLY', retry: 'backoff', cause } as const
}
