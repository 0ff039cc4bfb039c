import { isJsonObject } from '../json-object.ts'

/** JSON with the fields of every object in order, and without those that are null: for the API they are not there. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    isJsonObject(each)
      ? Object.fromEntries(
          Object.entries(each)
            .filter(([, field]) => field !== null)
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        )
      : each,
  )
