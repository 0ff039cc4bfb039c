/** The fields of a text from outside; undefined where it is no JSON object. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The objects of a list from outside; undefined where the text is no JSON list. */
export function jsonObjects(text: string): readonly Readonly<Record<string, unknown>>[] | undefined {
  const list = jsonObject(`{"list":${text}}`)?.list
  return Array.isArray(list) ? list.filter(isJsonObject) : undefined
}

export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
