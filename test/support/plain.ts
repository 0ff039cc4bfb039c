import assert from 'node:assert/strict'
import { plainly, plainText } from '../../src/ground/model/sentence.ts'
import { UserError } from '../../src/ground/model/user-error.ts'

/** A value as it is printed: each sentence as its text. */
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value, plainly)) as T

/** For `assert.rejects`: an error of the user with this code, whose message and fix read so. */
export const userError = (code: string, text: RegExp, fix: RegExp) => (error: unknown) => {
  assert.ok(error instanceof UserError)
  assert.equal(error.code, code)
  assert.match(error.message, text)
  assert.match(plainText(error.fix ?? ''), fix)
  return true
}
