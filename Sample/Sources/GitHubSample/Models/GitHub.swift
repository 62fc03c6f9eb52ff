/// The models of the application.
package enum GitHub {}
