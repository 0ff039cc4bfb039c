import { isJsonObject } from '../json-object.ts'
import type { Schema } from './open-api.ts'

/** A value of an object, with its schema. */
export interface Place {
  readonly schema: Schema
  /** In the form of `kubectl explain`: `ingressdaemonset`. */
  readonly kind: string
  readonly value: unknown
  /** The earlier value, where the object is changed. */
  readonly old?: unknown
  /** In the API server's form; empty for the object itself. */
  readonly path: string
}

/** The API server drops a field that is null. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** The fields, items and values below it that exist and have a schema. */
export function below({ schema, kind, value, old, path }: Place): readonly Place[] {
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined
      ? []
      : value.map((item, i) => ({ schema: items, kind, value: item, path: `${path}[${i}]` }))
  }
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const known = schemaOf(schema, name)
    const before = isJsonObject(old) && Object.hasOwn(old, name) ? old[name] : undefined
    const place = { kind, value: field, old: before, path: path === '' ? name : `${path}.${name}` }
    return known === undefined || isAbsent(field) ? [] : [{ ...place, schema: known }]
  })
}

const schemaOf = ({ properties = {}, additionalProperties }: Schema, name: string): Schema | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : additionalProperties
