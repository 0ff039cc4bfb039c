import { readFile } from 'node:fs/promises'
import { UserError } from '../../ground/model/user-error.ts'
import type { SecretRef } from '../model/notify-spec.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Reads the secret from the place that the file names. Throws UserError, which names the place and never its content. */
export async function readSecret(ref: SecretRef, env: Env): Promise<string> {
  const value = 'env' in ref ? env[ref.env] : await textOf(ref.file)
  const text = value?.trim() ?? ''
  if (text !== '' && !/[\u0000-\u001f\u007f]/.test(text)) return text
  const place = 'env' in ref ? `the environment variable ${ref.env}` : ref.file
  const fault = value === undefined ? 'is not set' : text === '' ? 'is empty' : 'holds more than one line'
  throw new UserError(`${place} ${fault}`, {
    code: 'notify.secret',
    fix: 'set it, or change the roll file',
  })
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new UserError(`${file} cannot be read: ${code}`, {
      code: 'notify.secret',
      fix: 'make the file readable, or change the roll file',
      cause: error,
    })
  }
}
