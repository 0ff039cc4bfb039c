import { present } from '../../ground/model/present.ts'
import { type ApiResource, resourceName } from './api-resource.ts'

/** `metav1.StatusCause`. */
interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

interface Details {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/** `metav1.Status` of a request that failed, as the API server answers it. */
interface FailureStatus {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: Readonly<Record<string, never>>
  readonly status: 'Failure'
  readonly message: string
  readonly reason?: string
  readonly details?: Details
  readonly code: number
}

/** A request that the API refuses: thrown by its rules, and answered as a Status. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly code: number
  readonly reason: string | undefined
  readonly details: Details | undefined

  constructor(parts: {
    readonly code: number
    readonly reason?: string
    readonly message: string
    readonly details?: Details
  }) {
    super(parts.message)
    this.code = parts.code
    this.reason = parts.reason
    this.details = parts.details
  }

  get status(): FailureStatus {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...present({ reason: this.reason, details: this.details }),
      code: this.code,
    }
  }
}

const detailsOf = (resource: ApiResource, name: string): Details => ({
  name,
  ...(resource.group === '' ? {} : { group: resource.group }),
  kind: resource.plural,
})

export const notFound = (resource: ApiResource, name: string): ApiFailure =>
  new ApiFailure({
    code: 404,
    reason: 'NotFound',
    message: `${resourceName(resource)} "${name}" not found`,
    details: detailsOf(resource, name),
  })

export const alreadyExists = (resource: ApiResource, name: string): ApiFailure =>
  new ApiFailure({
    code: 409,
    reason: 'AlreadyExists',
    message: `${resourceName(resource)} "${name}" already exists`,
    details: detailsOf(resource, name),
  })

export const conflict = (resource: ApiResource, name: string, why: string): ApiFailure =>
  new ApiFailure({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${resourceName(resource)} "${name}": ${why}`,
    details: detailsOf(resource, name),
  })

export const CHANGED = 'the object has been modified; please apply your changes to the latest version and try again'

/** `causes`: one per field that is wrong. */
export const invalid = (
  resource: Pick<ApiResource, 'kind' | 'group'>,
  name: string,
  causes: readonly (StatusCause & { readonly field: string; readonly message: string })[],
): ApiFailure => {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`)
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new ApiFailure({
    code: 422,
    reason: 'Invalid',
    message: `${resource.kind}${resource.group === '' ? '' : `.${resource.group}`} "${name}" is invalid: ${all}`,
    details: {
      name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.kind,
      causes,
    },
  })
}

/** Nothing is made in a namespace that is being deleted (plugin NamespaceLifecycle). */
export const terminating = (resource: ApiResource, namespace: string, name: string): ApiFailure =>
  new ApiFailure({
    code: 403,
    reason: 'Forbidden',
    message: `${resourceName(resource)} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    details: {
      ...detailsOf(resource, name),
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  })

export const badRequest = (message: string): ApiFailure => new ApiFailure({ code: 400, reason: 'BadRequest', message })

export const expired = (message: string): ApiFailure => new ApiFailure({ code: 410, reason: 'Expired', message })

/** A path that leads nowhere: what the server answers with where no kind and no page is meant. */
export const noSuchPath = (): ApiFailure =>
  new ApiFailure({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  })

export const methodNotAllowed = (method: string): ApiFailure =>
  new ApiFailure({
    code: 405,
    reason: 'MethodNotAllowed',
    message: `the server does not allow this method on the requested resource (${method})`,
    details: {},
  })

export const unsupportedMediaType = (given: string, accepted: readonly string[]): ApiFailure =>
  new ApiFailure({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}${given === '' ? '' : ` (not ${given})`}`,
  })
