/** A roll file before it is written: values with the comments above them. */
export type FieldValue = string | number | boolean | readonly string[] | Section | List

export interface Section {
  readonly fields: readonly Field[]
}

interface List {
  readonly items: readonly ListItem[]
}

export interface ListItem {
  readonly value: FieldValue
  readonly comment?: string
  /** Written as a comment: it is a suggestion, or not known. */
  readonly off?: true
}

export interface Field extends ListItem {
  readonly key: string
}

/** Something that is not in the file, and why. */
export interface LeftOut {
  readonly what: string
  readonly why: string
}

/** What one part adds to the proposal. */
export interface Part {
  readonly fields: readonly Field[]
  readonly found: readonly string[]
  readonly leftOut: readonly LeftOut[]
}
