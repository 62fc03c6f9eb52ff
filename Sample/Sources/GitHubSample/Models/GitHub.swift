/// What GitHub knows about: the models of the application.
package enum GitHub {}
