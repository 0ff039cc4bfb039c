import assert from 'node:assert/strict'
import type { Schema } from '../../src/ground/model/schema/open-api.ts'

/** Fields of the spec and the status that do not say what they mean, or what holds without them. */
export function silentFields(schema: Schema): readonly string[] {
  const silent: string[] = []
  const visit = (path: string, { description, properties = {}, items, ...field }: Schema): void => {
    if (!/^[A-Z].*\.$/.test(description ?? '')) silent.push(path)
    if ('default' in field && !/Defaults? to|default/i.test(description ?? '')) silent.push(`default of ${path}`)
    for (const [name, below] of Object.entries({ ...properties, ...items?.properties })) visit(`${path}.${name}`, below)
  }
  const { spec, status } = schema.properties ?? {}
  assert.ok(spec !== undefined && status !== undefined)
  visit('spec', spec)
  visit('status', status)
  return silent
}
